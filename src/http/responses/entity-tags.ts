import type { Request } from 'express';
import type { VersionCondition } from '../../common/write-context';

/** Behind the version, in the entity tag of a record that is shown in part: another text, of the same state. */
const PART = '.part';

/** The entity tag of a record: whoever sees all of it has another than who sees a part (RFC 9110, 8.8.3). */
export function entityTag(version: string, isPart: boolean): string {
  return `"${version}${isPart ? PART : ''}"`;
}

/** What If-Match asks of the record that a request changes; a weak tag never matches (RFC 9110, 13.1.1). */
export function readIfMatch({ headers }: Request): VersionCondition | undefined {
  const header = headers['if-match']?.trim();
  if (header === undefined || header === '*') return undefined; // a record that is not there is a 404 anyway
  const tags = [...header.matchAll(/(W\/)?"([^"]*)"/g)].filter(([, weak]) => !weak);
  const versions = tags.map(([, , tag]) => tag.replace(PART, ''));
  return (version) => versions.includes(version);
}
