import type { EnvironmentReader } from './environment';

export interface DomainSettings {
  /** Whether this process looks domains up in the background. */
  checks: boolean;
  /** Per account; undefined: unlimited. */
  max?: number;
}

const MAX_LIMIT = 1_000_000_000;

export function readDomainSettings(read: EnvironmentReader): DomainSettings {
  return {
    checks: read.oneOf('DOMAIN_CHECKS', 'on', ['on', 'off']) === 'on',
    max: read.optionalInteger('MAX_DOMAINS', 1, MAX_LIMIT),
  };
}
