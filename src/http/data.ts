import type { Response } from 'express';
import type { Versioned } from '../database/version';
import { entityTag } from './entity-tags';

// Functions, where Nest would have interceptors: a route without one is answered in less time (bench/RESULTS.md).

/** What is not a list is answered under `data`: here the id of a record that has been changed. */
export async function asId(id: Promise<number>): Promise<{ data: { id: number } }> {
  return { data: { id: await id } };
}

/** The same for one that has been created; its address, below that of the list, stands in `Location` (RFC 9110, 10.2.2). */
export async function asCreated(id: Promise<number>, response: Response, listAddress: string): Promise<{ data: { id: number } }> {
  const answer = await asId(id);
  response.setHeader('Location', `${listAddress}/${answer.data.id}`);
  return answer;
}

/** A single record, with its entity tag; nothing, when the client has it already. */
class RecordAnswer {
  constructor(
    private readonly found: Versioned<object>,
    private readonly isPart: boolean,
  ) {}

  /** The text to send, the headers set; none with a 304 (RFC 9110, 13.1.2). */
  prepare(response: Response): string | undefined {
    response.setHeader('ETag', entityTag(this.found.version, this.isPart));
    if (response.req.headers['if-none-match'] === undefined || !response.req.fresh) return JSON.stringify({ data: this.found.record });
    response.statusCode = 304;
    return undefined;
  }
}

/** `isPart`: something of the record is hidden from this caller. */
export async function asRecord(found: Promise<Versioned<object>>, isPart = false): Promise<RecordAnswer> {
  return new RecordAnswer(await found, isPart);
}

/** Writes an answer as JSON; without a text it has no body. */
export function sendJson(response: Response, body: unknown): void {
  const text = body instanceof RecordAnswer ? body.prepare(response) : JSON.stringify(body);
  if (text === undefined) {
    response.end();
    return;
  }
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}
