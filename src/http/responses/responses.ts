import type { Response } from 'express';
import type { Versioned } from '../../common/version';
import { entityTag } from './entity-tags';

// Functions, where Nest would have interceptors: a route without one is answered in less time (bench/RESULTS.md).

/** The envelope of a single record or id. */
export interface Data<T> {
  data: T;
}

/** The id of a record that has been changed. */
export async function asId(id: Promise<number>): Promise<Data<{ id: number }>> {
  return { data: { id: await id } };
}

/** The id of a new record; its address, below that of the list, goes into `Location` (RFC 9110, 10.2.2). */
export async function asCreated(id: Promise<number>, response: Response, listAddress: string): Promise<Data<{ id: number }>> {
  const answer = await asId(id);
  response.setHeader('Location', `${listAddress}/${answer.data.id}`);
  return answer;
}

/** A single record, its entity tag in `ETag`. `isPart`: something of the record is hidden from this caller. */
export async function asRecord<R>(found: Promise<Versioned<R>>, response: Response, isPart = false): Promise<Data<R>> {
  const { record, version } = await found;
  response.setHeader('ETag', entityTag(version, isPart));
  return { data: record };
}

/** Writes an answer as JSON; to a client that has it already, a 304 without a body (RFC 9110, 13.1.2). */
export function sendJson(response: Response, body: unknown): void {
  if (isUnmodified(response)) {
    response.statusCode = 304;
    response.end();
    return;
  }
  const text = JSON.stringify(body);
  if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

function isUnmodified(response: Response): boolean {
  return response.req.headers['if-none-match'] !== undefined && response.hasHeader('ETag') && response.req.fresh;
}
