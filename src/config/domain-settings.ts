import { isIP } from 'node:net';
import { type EnvironmentReader, splitList } from './environment';

export interface DomainSettings {
  /** Whether this process verifies domains in the background. */
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

/** Where custom domains should point: a host name, or addresses. */
export type EdgeTarget = { name: string } | { addresses: readonly string[] };

export interface EdgeSettings {
  /** Undefined: no edge. */
  port?: number;
  host: string;
  /** Undefined: the target is not checked. */
  target?: EdgeTarget;
}

const TARGET = 'a host name, such as edge.example.com, or comma-separated IP addresses';
/** The last label of a mistyped address is a number. */
const HOST_NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export function readEdgeSettings(read: EnvironmentReader): EdgeSettings {
  return {
    port: read.optionalInteger('EDGE_PORT', 1, 65_535),
    host: read.text('EDGE_HOST', '127.0.0.1'),
    target: read.optional('EDGE_TARGET', TARGET, parseTarget),
  };
}

function parseTarget(text: string): EdgeTarget | undefined {
  const items = splitList(text);
  if (items.length > 0 && items.every((item) => isIP(item) && !item.includes('%'))) return { addresses: [...new Set(items)] };
  const name = text.toLowerCase().replace(/\.$/, '');
  return HOST_NAME.test(name) && !isIP(name) ? { name } : undefined;
}
