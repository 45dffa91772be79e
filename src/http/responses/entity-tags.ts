import type { Request } from 'express';
import type { VersionCondition } from '../../common/write-context';

/** A full and a partial representation need different tags (RFC 9110, 8.8.3). */
const PART = '.part';

export function entityTag(version: string, isPartial: boolean): string {
  return `"${version}${isPartial ? PART : ''}"`;
}

/** Weak tags never match (RFC 9110, 13.1.1). */
export function readIfMatch({ headers }: Request): VersionCondition | undefined {
  const header = headers['if-match']?.trim();
  if (header === undefined || header === '*') return undefined; // a missing record is a 404 anyway
  const tags = [...header.matchAll(/(W\/)?"([^"]*)"/g)].filter(([, weak]) => !weak);
  const versions = tags.map(([, , tag]) => tag.replace(PART, ''));
  return (version) => versions.includes(version);
}
