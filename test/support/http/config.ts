import { Config, ConfigError } from '../../../src/platform/config/config';

/** The errors that a start with this environment would print, one per line; none if it is valid. */
export function problemsOf(env: Record<string, string>): string[] {
  try {
    new Config(env);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message.split('\n');
  }
}
