import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Request, Response } from 'express';
import type { Versioned } from '../common/records';
import type { VersionCondition } from '../common/write-context';
import { WORK_ENDS } from './server/response-close';

// Functions rather than Nest interceptors, which slow down a route (bench/HISTORY.md).

export interface Data<T> {
  data: T;
}

export async function asData<T>(data: Promise<T>): Promise<Data<T>> {
  return { data: await data };
}

export async function asId(id: Promise<number>): Promise<Data<{ id: number }>> {
  return { data: { id: await id } };
}

/** Sets `Location` to the new record's URL (RFC 9110, 10.2.2). */
export async function asCreated(id: Promise<number>, response: Response, listAddress: string): Promise<Data<{ id: number }>> {
  const created = await asId(id);
  response.setHeader('Location', `${listAddress}/${created.data.id}`);
  return created;
}

/** Like `asCreated`, but responds to a repeat with 200, without `Location`. */
export async function asCreatedOnce(
  creation: Promise<{ id: number; isRepeat: boolean }>,
  response: Response,
  listAddress: string,
): Promise<Data<{ id: number }>> {
  const { id, isRepeat } = await creation;
  if (!isRepeat) return asCreated(Promise.resolve(id), response, listAddress);
  response.status(200);
  return { data: { id } };
}

/** Sets `ETag`, which `sendJson` compares with `If-None-Match`. `isPartial`: part of the record is hidden from this caller. */
export async function asRecord<R>(versioned: Promise<Versioned<R>>, response: Response, isPartial = false): Promise<Data<R>> {
  const { record, version } = await versioned;
  response.setHeader('ETag', entityTag(version, isPartial));
  return { data: record };
}

/** Records serialized before yielding to the event loop. */
const RECORDS_PER_CHUNK = 500;

/**
 * Responds with `{ "data": [ … ] }`: immediately if there is no `rest`, otherwise batch by batch, as fast as the client reads. A failure in `rest`
 * aborts the connection, so that a partial list never looks complete. `idsFound` resolves when the ids have been read, which frees
 * the admission slot (WORK_ENDS).
 */
export function asList(
  { first, rest, idsFound }: { first: object[]; rest?: AsyncGenerator<object[]>; idsFound?: Promise<void> },
  response: Response,
): Data<object[]> | AsyncGenerator<string> {
  if (!rest) return { data: first };
  response.isStreamed = idsFound !== undefined;
  void idsFound?.then(() => response.emit(WORK_ENDS));
  response.type('json');
  return listText(first, rest);
}

async function* listText(first: object[], rest: AsyncGenerator<object[]>): AsyncGenerator<string> {
  try {
    yield '{"data":[';
    let separator = '';
    for (; first.length > 0; separator = ',') {
      yield separator + elementsOf(first.splice(0, RECORDS_PER_CHUNK)); // removed, to free their memory while the client reads
      await yieldToEventLoop();
    }
    for await (const batch of rest) {
      if (batch.length === 0) continue;
      yield separator + elementsOf(batch);
      separator = ',';
    }
    yield ']}';
  } finally {
    await rest.return(undefined);
  }
}

function elementsOf(records: object[]): string {
  return JSON.stringify(records).slice(1, -1);
}

/** Suffix of a partial representation's entity tag, which must differ from the full one's (RFC 9110, 8.8.3). */
const PARTIAL_SUFFIX = '.part';

function entityTag(version: string, isPartial: boolean): string {
  return `"${version}${isPartial ? PARTIAL_SUFFIX : ''}"`;
}

/**
 * Entity tags alone decide on a 304 (RFC 9110, 13.1.2). Express and its file server answer 200 to `Cache-Control: no-cache`, which
 * fetch() adds when it is given If-None-Match.
 */
export function ignoreNoCache({ headers }: Request): void {
  if ('if-none-match' in headers) delete headers['cache-control'];
}

/** The condition in If-Match; undefined if any version will do. Weak tags never match (RFC 9110, 13.1.1). */
export function readIfMatch({ headers }: Request): VersionCondition | undefined {
  const header = headers['if-match']?.trim();
  if (header === undefined || header === '*') return undefined; // a missing record is a 404 anyway
  const tags = [...header.matchAll(/(W\/)?"([^"]*)"/g)].filter(([, weak]) => !weak);
  const versions = tags.map(([, , tag]) => tag.replace(PARTIAL_SUFFIX, ''));
  return (version) => versions.includes(version);
}
