import createOpenApiClient from 'openapi-fetch';
import { FrontdeskError } from './errors.js';
import { EventFeed, type EventOptions, type EventQuery } from './events.js';
import { readPages } from './lists.js';
import type { Answer, Arguments, ListPath, Method, Operation, Options, PageOf, PathOf, RecordOf, UpdatePath } from './operations.js';
import { waitFor, withRetries, type RetryRules } from './retries.js';
import { IDEMPOTENT_PATHS, type paths } from './schema.js';

export { type ErrorCode, FrontdeskError, type Violation } from './errors.js';
export type { EventFeed, EventOptions, FrontdeskEvent } from './events.js';
export type { Answer, ListPath, Operation, Options, PageOf, PathOf, RecordOf, UpdatePath } from './operations.js';
export type { components, paths } from './schema.js';
export { verifyWebhook, type VerifyOptions } from './webhooks.js';

export interface ClientOptions extends Partial<RetryRules> {
  url: string;
  key: string;
  /** Timeout in seconds, from the start of a request to the end of its response; 60 by default. */
  timeout?: number;
  fetch?: (request: Request) => Promise<Response>;
}

interface RequestOptions {
  path?: unknown;
  query?: unknown;
  body?: unknown;
  ifMatch?: string;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

interface Outcome {
  data?: object;
  error?: unknown;
  response: Response;
}

type AnyRequest = (method: Method, path: keyof paths, init: unknown) => Promise<Outcome>;

export function createClient(options: ClientOptions): FrontdeskClient {
  return new FrontdeskClient(options);
}

/** Methods throw a FrontdeskError on failure, or the reason of an aborted signal. */
export class FrontdeskClient {
  private readonly request: AnyRequest;
  private readonly rules: RetryRules;
  private readonly timeout: number;

  constructor({ url, key, timeout = 60, fetch, retries = 4, maxWait = 30, wait = waitFor }: ClientOptions) {
    const headers = { Authorization: `Bearer ${key}` };
    const client = createOpenApiClient<paths>({ baseUrl: new URL(url).href, headers, ...(fetch && { fetch }) });
    this.request = client.request as unknown as AnyRequest; // paths and options are checked by the methods below
    this.rules = { retries, maxWait, wait };
    this.timeout = timeout;
  }

  get<P extends PathOf<'get'>>(path: P, ...[options]: Arguments<Operation<P, 'get'>>): Promise<Answer<Operation<P, 'get'>>> {
    return this.send('get', path, options) as Promise<Answer<Operation<P, 'get'>>>;
  }

  /**
   * Retries are safe: the request is carried out once. Where the API takes no `Idempotency-Key`, only a 429 is retried: after a lost
   * connection or a 503, the request may have been carried out.
   */
  post<P extends PathOf<'post'>>(path: P, ...[options]: Arguments<Operation<P, 'post'>>): Promise<Answer<Operation<P, 'post'>>> {
    return this.send('post', path, options) as Promise<Answer<Operation<P, 'post'>>>;
  }

  /** With the `etag` of a read as `ifMatch`, throws `precondition_failed` if the record has changed since. */
  update<P extends UpdatePath>(path: P, options: Options<Operation<P, 'post'>>): Promise<Answer<Operation<P, 'post'>>> {
    return this.send('post', path, options) as Promise<Answer<Operation<P, 'post'>>>;
  }

  /** Retried after a lost connection: `not_found` may then mean that the first attempt was carried out. */
  delete<P extends PathOf<'delete'>>(path: P, ...[options]: Arguments<Operation<P, 'delete'>>): Promise<Answer<Operation<P, 'delete'>>> {
    return this.send('delete', path, options) as Promise<Answer<Operation<P, 'delete'>>>;
  }

  /** All pages of a list, from `query.page` or the cursor `query.after` on. */
  pages<P extends ListPath>(path: P, ...[options]: Arguments<Operation<P, 'get'>>): AsyncGenerator<PageOf<P>, void, undefined> {
    const { query, ...rest }: RequestOptions = options ?? {};
    const first = { ...(path === '/api/events' ? {} : { page: 1 }), ...(query as object | undefined) };
    return readPages((next) => this.send('get', path, { ...rest, query: next }), first) as AsyncGenerator<PageOf<P>, void, undefined>;
  }

  async *records<P extends ListPath>(path: P, ...options: Arguments<Operation<P, 'get'>>): AsyncGenerator<RecordOf<P>, void, undefined> {
    for await (const page of this.pages(path, ...options)) yield* page.data as RecordOf<P>[];
  }

  /** Waits for events, and retries lost connections indefinitely. */
  events(options: EventOptions = {}): EventFeed {
    const rules = { ...this.rules, retries: Infinity };
    const read = (query: EventQuery) => this.send('get', '/api/events', { query, signal: options.signal }, rules);
    return new EventFeed(read as ConstructorParameters<typeof EventFeed>[0], options, this.timeout);
  }

  private send(method: Method, path: keyof paths, options: RequestOptions = {}, rules = this.rules): Promise<object> {
    const isKeyed = method === 'post' && IDEMPOTENT_PATHS.has(path);
    const idempotencyKey = isKeyed ? (options.idempotencyKey ?? randomKey()) : undefined;
    const { path: parameters, query, body, ifMatch, signal } = options;
    const headers = { 'Idempotency-Key': idempotencyKey, 'If-Match': ifMatch };
    const init = { params: { path: parameters, query }, body, headers };
    return withRetries(() => this.attempt(method, path, init, signal), { ...rules, isRepeatable: method !== 'post' || isKeyed, signal });
  }

  private async attempt(method: Method, path: keyof paths, init: object, signal?: AbortSignal): Promise<object> {
    const deadline = AbortSignal.timeout(this.timeout * 1000);
    const signals = signal ? AbortSignal.any([signal, deadline]) : deadline;
    const { data, error, response } = await this.request(method, path, { ...init, signal: signals }).catch((cause: unknown) => {
      const code = cause instanceof SyntaxError ? 'invalid_response' : 'connection_lost';
      throw new FrontdeskError('There was no complete JSON response.', { code, cause });
    });
    if (!response.ok || data === undefined) throw FrontdeskError.fromResponse(response, error);
    return { ...data, etag: response.headers.get('ETag') };
  }
}

/** `crypto.randomUUID` is missing on pages without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
