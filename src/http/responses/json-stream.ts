import { setImmediate as nextTurn } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { WORK_ENDS } from '../server/json-adapter';
import { sendText } from './responses';

const CLIENT_GONE = 'ERR_STREAM_PREMATURE_CLOSE';

/** Records serialized per turn of the event loop. */
const BATCH = 500;

/**
 * Writes `{ "data": [ … ] }`: in one piece if there is no `rest`, otherwise batch by batch, as fast as the client reads. A
 * failure in `rest` aborts the connection, so that a partial list never looks complete. `found` resolves when the ids have been
 * read.
 */
export async function sendList(
  request: Request,
  response: Response,
  { first, rest, found }: { first: object[]; rest?: AsyncGenerator<object[]>; found?: Promise<void> },
): Promise<void> {
  response.isStreamed = found !== undefined;
  void found?.then(() => response.emit(WORK_ENDS));
  response.type('json');
  if (!rest) sendText(response, JSON.stringify({ data: first }));
  else if (request.method === 'HEAD') response.end();
  else
    await pipeline(Readable.from(listText(first, rest)), response).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== CLIENT_GONE) throw error;
    });
}

async function* listText(first: object[], rest: AsyncGenerator<object[]>): AsyncGenerator<string> {
  try {
    yield '{"data":[';
    let separator = '';
    for (; first.length > 0; separator = ',') {
      yield separator + elementsOf(first.splice(0, BATCH)); // removed, to free them while the client reads
      await nextTurn();
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
