import { Config, ConfigError } from '../../../src/platform/config/config';

/** What a start with this environment would print, line by line; nothing if it is valid. */
export function problemsOf(env: Record<string, string>): string[] {
  try {
    new Config(env);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message.split('\n');
  }
}
