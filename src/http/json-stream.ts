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
    yield `{"data":[${recordsText(first)}`;
    for await (const batch of rest) if (batch.length > 0) yield `,${recordsText(batch)}`;
    yield ']}';
  } finally {
    await rest.return(undefined);
  }
}

/** A first batch that is empty is the only one, so every later record has one before it. */
function recordsText(records: object[]): string {
  return JSON.stringify(records).slice(1, -1);
}
