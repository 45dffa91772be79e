import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';

/** Writes what a handler returns as JSON: Express would look for a replacer, an entity tag and a charset first (bench/RESULTS.md). */
export class JsonAdapter extends ExpressAdapter {
  override reply(response: Response, body: unknown, status?: number): void {
    const text = JSON.stringify(body);
    response.statusCode = status ?? response.statusCode;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(text));
    response.end(text);
  }
}
