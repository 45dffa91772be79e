import type { Server } from 'node:http';
import request, { type Response, type Test } from 'supertest';
import { until } from '../jest/clock';

/** Field by field, or as a list of pairs when a name is to come twice. */
export type Fields = Record<string, string> | [name: string, value: string][];

/** Sends requests as an API client does: with a key, and forms as multipart/form-data. */
export class Client {
  constructor(
    /** Or the address of one in another process. */
    private readonly server: Server | string,
    private readonly key?: string,
  ) {}

  get(path: string): Test {
    return this.send('GET', path);
  }

  post(path: string, fields: Fields = {}): Test {
    const test = this.send('POST', path);
    for (const [name, value] of Array.isArray(fields) ? fields : Object.entries(fields)) void test.field(name, value);
    return test;
  }

  delete(path: string): Test {
    return this.send('DELETE', path);
  }

  /** Any request; the path is sent as it is. */
  send(method: string, path: string): Test {
    const test = new request.Test(this.server, method, path);
    return this.key === undefined ? test : test.set('Authorization', `Bearer ${this.key}`);
  }

  /** Creates a record and gives its id. */
  async create(path: string, fields: Fields): Promise<number> {
    const response = await untilServed(() => this.post(path, fields));
    if (response.status !== 201) throw new Error(`${path} answered ${response.status}: ${response.text}`);
    return idOf(response);
  }
}

export function idOf(response: Response): number {
  return (response.body as { data: { id: number } }).data.id;
}

/** Sends a request again while it gets 503, as clients do: of fifty at once, or of two for the same rows, a slow machine rejects some. */
export function untilServed(send: () => Test): Promise<Response> {
  return until(
    async () => await send(),
    ({ status }) => status !== 503,
  );
}
