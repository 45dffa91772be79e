import type { paths } from './schema.js';

/** Types of the requests and responses, derived from the OpenAPI document. */
export type Method = 'get' | 'post' | 'delete';

export type PathOf<M extends Method> = { [P in keyof paths]: paths[P][M] extends object ? P : never }[keyof paths];
export type Operation<P extends keyof paths, M extends Method> = NonNullable<paths[P][M]>;

/** Paths of lists that have pages. */
export type ListPath = { [P in PathOf<'get'>]: [PageOf<P>] extends [never] ? never : P }[PathOf<'get'>];
/** Paths whose records have an ETag, checked by `ifMatch`. */
export type UpdatePath = { [P in PathOf<'post'>]: 'If-Match' extends HeadersOf<Operation<P, 'post'>> ? P : never }[PathOf<'post'>];

export type Options<O> = PathOption<O> &
  QueryOption<O> &
  BodyOption<O> &
  HeaderOption<O, 'If-Match', { ifMatch?: string }> &
  HeaderOption<O, 'Idempotency-Key', { idempotencyKey?: string }> & { signal?: AbortSignal };
/** Optional where no option is required. */
export type Arguments<O> = object extends Options<O> ? [options?: Options<O>] : [options: Options<O>];

/** The response's body, and its ETag. */
export type Answer<O> = BodyOf<O> & { etag: string | null };
export type PageOf<P extends PathOf<'get'>> = Extract<BodyOf<Operation<P, 'get'>>, { data: unknown[]; meta: unknown }>;
export type RecordOf<P extends PathOf<'get'>> = PageOf<P> extends { data: (infer R)[] } ? R : never;

type ParametersOf<O> = O extends { parameters: infer P } ? P : never;
type PathOption<O> = ParametersOf<O> extends { path: infer P } ? { path: P } : unknown;
type QueryOption<O> = ParametersOf<O> extends { query: infer Q extends object } ? { query: Q } : OptionalQuery<O>;
type OptionalQuery<O> = ParametersOf<O> extends { query?: infer Q extends object } ? { query?: Q } : unknown;
type HeadersOf<O> = ParametersOf<O> extends { header?: infer H } ? keyof NonNullable<H> : never;
type HeaderOption<O, Name extends string, T> = Name extends HeadersOf<O> ? T : unknown;
type BodyOption<O> = O extends { requestBody: { content: { 'application/json': infer B } } } ? { body: B } : OptionalBody<O>;
type OptionalBody<O> = O extends { requestBody?: { content: { 'application/json': infer B } } } ? { body?: B } : unknown;
type BodyOf<O> = O extends { responses: infer R } ? { [S in keyof R]: S extends 200 | 201 ? JsonOf<R[S]> : never }[keyof R] : never;
type JsonOf<R> = R extends { content: { 'application/json': infer B } } ? B : never;
