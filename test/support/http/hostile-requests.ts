import fc, { type Arbitrary } from 'fast-check';
import type { RawRequest } from './raw-request';

/** A request in the making; its fields become a body of the type when it is sent. */
export interface Draft {
  method: string;
  path: string;
  id?: string;
  query: [string, string][];
  headers: Record<string, string>;
  type: 'multipart' | 'urlencoded' | 'json';
  fields: [name: string, value: unknown][];
  /** Replaces what the fields make. */
  body?: (made: Buffer) => Buffer;
}

/** Something that is wrong with a request, and the statuses of which one must answer it. */
export interface Fault {
  name: string;
  statuses: number[];
  apply(draft: Draft): void;
}

/** What differs from area to area. */
export interface WriteRoute {
  name: string;
  method: 'POST' | 'DELETE';
  path: string;
  hasId: boolean;
  /** A form that the route takes; the fields that it can't do without. */
  valid: Arbitrary<[string, string][]>;
  required: string[];
  /** Values that a field doesn't take. */
  wrong: Record<string, Arbitrary<string>>;
}

const BOUNDARY = 'frontier';
const TYPES = {
  multipart: `multipart/form-data; boundary=${BOUNDARY}`,
  urlencoded: 'application/x-www-form-urlencoded',
  json: 'application/json',
};

/** Any code points, the first ones above all: control characters, quotes, surrogates without their other half. */
export const anyText = (minLength = 0) =>
  fc.string({ unit: fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)), minLength, maxLength: 30 });

const fault = (name: string, statuses: number[], apply: (draft: Draft) => void): Fault => ({ name, statuses, apply });
const faults = <T>(values: Arbitrary<T>, make: (value: T) => Fault): Arbitrary<Fault> => values.map(make);

/** The faults that a request for this route can have. */
export function faultsOf(route: WriteRoute): Arbitrary<Fault> {
  const ofForm = route.method === 'POST' ? formFaults(route) : [];
  return fc.oneof(...everywhere(), ...(route.hasId ? idFaults() : []), ...ofForm);
}

const header = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 60 });

function everywhere(): Arbitrary<Fault>[] {
  return [
    faults(fc.constant(0), () =>
      fault('the key in the query alone', [401], (draft) => {
        draft.query.push(['access_token', draft.headers.Authorization.slice('Bearer '.length)]);
        delete draft.headers.Authorization;
      }),
    ),
    faults(header, (value) => fault('no key', [401], (draft) => (draft.headers.Authorization = value))),
    faults(header, (value) => fault('no known key', [401], (draft) => (draft.headers.Authorization = `Bearer ${value}`))),
    faults(fc.tuple(anyText(), fc.string()), ([name, value]) =>
      fault('a query', [400], (draft) => void draft.query.push([name || 'x', value])),
    ),
  ];
}

function idFaults(): Arbitrary<Fault>[] {
  const unknown = fc.oneof(fc.constantFrom('0', '00', '9'.repeat(20)), fc.bigInt({ min: 10n ** 6n, max: 10n ** 30n }).map(String));
  const wrong = fc.oneof(
    fc.constantFrom('-1', '+1', '1e3', '1.0', '0x1', ' 1', '1 ', 'NaN', 'null', 'true', '١', '1;1', '%', '..%2f1'),
    anyText(1).filter((text) => !/^\d+$|^\.{1,2}$/.test(text)),
  );
  return [
    faults(unknown, (id) => fault('an unknown id', [404], (draft) => (draft.id = id))),
    faults(wrong, (id) => fault('an id that is none', [400], (draft) => (draft.id = encodeURIComponent(id.toWellFormed())))),
  ];
}

function formFaults(route: WriteRoute): Arbitrary<Fault>[] {
  const names = Object.keys(route.wrong);
  const name = fc.constantFrom(...names);
  const give = (draft: Draft, field: string, value: unknown) => {
    draft.fields = [...draft.fields.filter(([known]) => known !== field), [field, value]];
  };
  const unknownName = fc.oneof(
    fc.constantFrom(
      '',
      '__proto__',
      'constructor',
      'id',
      'account_id',
      'access_token',
      `${names[0]}[]`,
      `${names[0]}[0]`,
      'a[30000000]',
      'a[b][c]',
    ),
    anyText().filter((text) => !names.includes(text)),
  );
  const badBytes = fc.constantFrom('ff', 'c328', 'e28228', 'f0288cbc', 'eda080', 'c0af');
  const found: Arbitrary<Fault>[] = [
    faults(unknownName, (field) => fault('an unknown field', [400, 413], (draft) => give(draft, field, 'x'))),
    faults(fc.constant(0), () =>
      fault('a doubled field', [400], (draft) => {
        if (draft.type === 'json') draft.type = 'multipart'; // JSON.parse keeps the last of two
        give(draft, names[0], 'a.example.com');
        draft.fields.push([names[0], 'a.example.com']);
      }),
    ),
    faults(fc.tuple(name, fc.integer({ min: 8193, max: 12_000 })), ([field, length]) =>
      fault('a value too long', [413], (draft) => give(draft, field, 'x'.repeat(length))),
    ),
    faults(fc.integer({ min: 17, max: 40 }), (count) =>
      fault('too many fields', [413], (draft) => {
        draft.fields = Array.from({ length: count }, (_, index) => [`field${index}`, 'x']);
      }),
    ),
    faults(fc.integer({ min: 65_537, max: 70_000 }), (length) =>
      fault('a body too long', [413], (draft) => (draft.body = () => Buffer.alloc(length, 'x'))),
    ),
    faults(fc.tuple(name, fc.oneof(fc.constant(null), fc.array(fc.string()), fc.dictionary(fc.string(), fc.string()))), ([field, value]) =>
      fault('a value that is no text', [400], (draft) => {
        draft.type = 'json';
        give(draft, field, value);
      }),
    ),
    faults(fc.tuple(name, badBytes), ([field, hex]) =>
      fault('a value that is not UTF-8', [400], (draft) => {
        give(draft, field, 'MARK');
        const bytes = draft.type === 'urlencoded' ? Buffer.from(hex.replace(/../g, '%$&')) : Buffer.from(hex, 'hex');
        draft.body = (made) => replace(made, 'MARK', bytes);
      }),
    ),
    faults(fc.uint8Array({ maxLength: 300 }), (bytes) =>
      fault('a body that is none', [400], (draft) => (draft.body = () => Buffer.concat([Buffer.from('x'), bytes]))),
    ),
    faults(fc.double({ min: 0, max: 1, noNaN: true }), (where) =>
      fault('a body that is cut off', [400], (draft) => {
        draft.type = 'multipart';
        draft.body = (made) => made.subarray(0, 1 + Math.floor(where * (made.length - 8)));
      }),
    ),
    faults(fc.tuple(fc.oneof(name, fc.string()), fc.string()), ([field, content]) =>
      fault('a file', [400], (draft) => {
        draft.type = 'multipart';
        draft.body = (made) => Buffer.concat([Buffer.from(part(field, content, '; filename="a.txt"')), made]);
      }),
    ),
    faults(
      fc.constantFrom('text/plain', 'image/png', '', 'multipart/mixed; boundary=x', 'application/json; charset=latin1', '*/*'),
      (type) =>
        fault('another content type', [415], (draft) => {
          draft.headers['Content-Type'] = type;
          draft.body = (made) => Buffer.concat([made, Buffer.from('x')]);
        }),
    ),
    faults(fc.constantFrom('gzip', 'br', 'deflate', 'x'), (encoding) =>
      fault('a compressed body', [415], (draft) => {
        draft.headers['Content-Encoding'] = encoding;
        draft.body = (made) => Buffer.concat([made, Buffer.from('x')]);
      }),
    ),
    ...names.map((field) => faults(route.wrong[field], (value) => fault(`a wrong ${field}`, [400], (draft) => give(draft, field, value)))),
    ...route.required.map((field) =>
      fc.constant(fault(`no ${field}`, [400], (draft) => (draft.fields = draft.fields.filter(([known]) => known !== field)))),
    ),
  ];
  return found;
}

/** What is odd about a request, and yet no fault of it. */
export const oddities: Arbitrary<(draft: Draft) => void> = fc
  .record({
    slash: fc.boolean(),
    type: fc.constantFrom<Draft['type']>('multipart', 'urlencoded', 'json'),
    headers: fc.constantFrom<Record<string, string>>(
      {},
      { Host: 'evil.example' },
      { Host: 'evil.example:99', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'gopher', Forwarded: 'host=evil.example' },
      { 'X-Request-Id': 'evil.example/<script>' },
      { 'X-HTTP-Method-Override': 'DELETE', Cookie: 'access_token=x', Accept: 'text/html' },
    ),
  })
  .map(({ slash, type, headers }) => (draft: Draft) => {
    draft.type = type;
    draft.path += slash ? '/' : '';
    Object.assign(draft.headers, headers);
  });

export function toRequest({ method, path, id, query, headers, type, fields, body }: Draft): RawRequest {
  const slash = path.endsWith('/') ? '/' : '';
  const resource = id === undefined ? path : `${path.replace(/\/$/, '')}/${id}${slash}`;
  const parameters = query.map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join('='));
  const made = method === 'DELETE' ? undefined : write(type, fields);
  return {
    method,
    path: [resource, parameters.join('&')].filter(Boolean).join('?'),
    headers: { ...(made && { 'Content-Type': TYPES[type] }), ...headers },
    body: made && (body ? body(made) : made),
  };
}

function write(type: Draft['type'], fields: Draft['fields']): Buffer {
  const texts = fields.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as [string, string]);
  if (type === 'urlencoded') return Buffer.from(new URLSearchParams(texts).toString());
  if (type === 'json') return Buffer.from(`{${fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`);
  return Buffer.from(`${texts.map(([name, value]) => part(name, value)).join('')}--${BOUNDARY}--\r\n`);
}

/** Names are escaped as browsers do (https://html.spec.whatwg.org/#multipart-form-data). */
function part(name: string, value: string, file = ''): string {
  const escaped = name.replace(/["\r\n]/g, (character) => encodeURIComponent(character));
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${escaped}"${file}\r\n\r\n${value}\r\n`;
}

function replace(bytes: Buffer, mark: string, by: Buffer): Buffer {
  const at = bytes.indexOf(mark);
  return at < 0 ? bytes : Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + mark.length)]);
}
