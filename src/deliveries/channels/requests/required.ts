import { NotConfigured } from '../channel';

/** @throws NotConfigured naming the setting */
export function requireSetting(settings: Readonly<Record<string, string>>, name: string): string {
  if (settings[name]) return settings[name];
  throw new NotConfigured(`${name} is empty: set it in the handler.`);
}

/** @throws NotConfigured naming the environment variable */
export function requireVariable<T>(value: T | undefined, name: string): T {
  if (value !== undefined) return value;
  throw new NotConfigured(`The operator of this service has not set ${name}.`);
}
