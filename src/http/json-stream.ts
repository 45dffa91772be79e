import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';

const CLIENT_GONE = 'ERR_STREAM_PREMATURE_CLOSE';

/**
 * Writes `{ "data": [ … ] }`, batch by batch, as fast as the client reads. What fails before the first batch is thrown,
 * for an error answer; after it the connection is cut, so that half a list never looks like a whole one. A client that
 * goes away ends the batches.
 */
export async function sendList(request: Request, response: Response, batches: AsyncGenerator<object[]>): Promise<void> {
  const first = await batches.next();
  response.type('json');
  if (request.method === 'HEAD') {
    await batches.return(undefined);
    response.end();
    return;
  }
  await pipeline(Readable.from(listText(first.value ?? [], batches)), response).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== CLIENT_GONE) throw error;
  });
}

async function* listText(first: object[], rest: AsyncGenerator<object[]>): AsyncGenerator<string> {
  try {
    let text = `{"data":[${recordsText(first)}`;
    let comma = first.length > 0 ? ',' : '';
    for await (const batch of rest) {
      yield text;
      text = batch.length > 0 ? comma + recordsText(batch) : '';
      if (batch.length > 0) comma = ',';
    }
    yield `${text}]}`;
  } finally {
    await rest.return(undefined);
  }
}

function recordsText(records: object[]): string {
  return JSON.stringify(records).slice(1, -1);
}
