import { setImmediate as nextTurn } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { WORK_ENDS } from '../server/json-adapter';

const CLIENT_GONE = 'ERR_STREAM_PREMATURE_CLOSE';

/** How many records become text in one turn of the event loop. */
const TURN = 500;

/**
 * Writes `{ "data": [ … ] }`: at once when the list is whole, else batch by batch, as fast as the client reads. What fails
 * in the rest cuts the connection, so that half a list never looks like a whole one. A client that goes away ends it.
 */
export async function sendList(
  request: Request,
  response: Response,
  list: { first: object[]; rest?: AsyncGenerator<object[]>; found?: Promise<void> },
): Promise<void> {
  const { first, rest, found } = list;
  response.isStreamed = found !== undefined;
  void found?.then(() => response.emit(WORK_ENDS));
  response.type('json');
  if (!rest) sendText(response, `{"data":${JSON.stringify(first)}}`);
  else if (request.method === 'HEAD') response.end();
  else
    await pipeline(Readable.from(listText(first, rest)), response).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== CLIENT_GONE) throw error;
    });
}

function sendText(response: Response, text: string): void {
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

async function* listText(first: object[], rest: AsyncGenerator<object[]>): AsyncGenerator<string> {
  try {
    yield '{"data":[';
    for (let separator = ''; first.length > 0; separator = ',') {
      yield separator + recordsText(first.splice(0, TURN)); // out of the list, so that nothing is kept while the client reads
      await nextTurn();
    }
    for await (const batch of rest) if (batch.length > 0) yield `,${recordsText(batch)}`;
    yield ']}';
  } finally {
    await rest.return(undefined);
  }
}

function recordsText(records: object[]): string {
  return JSON.stringify(records).slice(1, -1);
}
