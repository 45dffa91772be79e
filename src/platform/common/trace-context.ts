import { randomBytes } from 'node:crypto';

/** Later versions may append fields: https://www.w3.org/TR/trace-context/#versioning-of-traceparent */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED_FLAG = 1;

/** The header `traceparent` in version 00, or undefined if it is malformed. https://www.w3.org/TR/trace-context/#traceparent-header */
export function parseTraceparent(header: unknown): string | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId, parentId, flags, rest] = TRACEPARENT.exec(header) ?? [];
  if (version === undefined || (version === '00' && rest !== undefined)) return undefined;
  return `00-${traceId}-${parentId}-0${parseInt(flags, 16) & SAMPLED_FLAG}`;
}

/** The trace id: 32 hexadecimal digits. */
export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}

/** The same trace, with a new parent id. */
export function childOf(traceparent: string): string {
  return `${traceparent.slice(0, 36)}${randomBytes(8).toString('hex')}${traceparent.slice(52)}`;
}
