import { domainToASCII, URL } from 'node:url';
import { DAY_MS, isTime, parseDuration, timestamp } from './time';
import { hasValidPunycode, isHostName, MAX_HOST_LENGTH, withoutDot } from './hosts';
import { findInvisible, withoutInvisible } from './invisible-characters';

interface FieldTypeSchema {
  type?: 'string' | 'integer' | 'boolean';
  anyOf?: {
    type: 'string' | 'integer' | 'boolean' | 'array';
    enum?: (string | number)[];
    pattern?: string;
    minimum?: number;
    items?: { type: 'integer'; minimum: number };
  }[];
  /** The first one appears in the documented example of a whole form. */
  examples: readonly (string | number | boolean | number[])[];
  format?: string;
  enum?: readonly (string | number | boolean)[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
}

/** Parses, describes and documents a value in a request. An area may define its own. */
export interface FieldType<T> {
  /** Completes `<name> must be …`. */
  expected: string;
  schema: FieldTypeSchema;
  /** Returns undefined for an invalid value. */
  parse(text: string): T | undefined;
  /** Whether JSON may contain an array of integers, and a form may repeat the field. The values are joined with commas, then parsed. */
  takesIntegers?: boolean;
}

export type Parser<T> = Pick<FieldType<T>, 'expected' | 'parse'>;

/** An invalid value; `reason` completes `<name> …`. */
export class InvalidInput {
  constructor(
    readonly reason: string,
    readonly isEmpty = false,
  ) {}
}

export function parseText<T>(type: Parser<T>, text: string): T | InvalidInput {
  return type.parse(text) ?? new InvalidInput(reasonFor(type, text), text === '');
}

/** If the text is valid without an invisible character, names that character: people can't see it. */
function reasonFor(type: Parser<unknown>, text: string): string {
  const invisible = findInvisible(text);
  const isOnlyFault = invisible !== undefined && type.parse(withoutInvisible(text)) !== undefined;
  return isOnlyFault ? `holds an invisible character, ${invisible}` : `must be ${type.expected}`;
}

/** `max` counts Unicode code points. */
export function text(max: number, example: string): FieldType<string> {
  return {
    expected: `1 to ${max} characters, none of them a control character`,
    schema: { type: 'string', minLength: 1, maxLength: max, examples: [example] },
    parse: (value) => (value !== '' && isWithin(value, max) && !/\p{Cc}/u.test(value) ? value : undefined),
  };
}

/** Text of one or more lines; CR LF and CR become LF. */
export function lines(max: number, example: string): FieldType<string> {
  return {
    expected: `1 to ${max} characters; line feeds and tabs are the only control characters accepted`,
    schema: { type: 'string', minLength: 1, maxLength: max, examples: [example] },
    parse(value) {
      const normalized = value.replace(/\r\n?/g, '\n');
      return normalized !== '' && isWithin(normalized, max) && !/[^\P{Cc}\n\t]/u.test(normalized) ? normalized : undefined;
    },
  };
}

export function oneOf<T extends string | number>(values: readonly T[], example: T): FieldType<T> {
  return {
    expected: `one of ${values.join(', ')}`,
    schema: { type: typeof values[0] === 'number' ? 'integer' : 'string', enum: values, examples: [example] },
    parse: (value) => values.find((allowed) => String(allowed) === value),
  };
}

export const POSITIVE_INTEGER: FieldType<number> = {
  expected: 'an integer of 1 or more, in digits',
  schema: { type: 'integer', minimum: 1, examples: [1] },
  parse: (value) => (/^0*[1-9]\d*$/.test(value) ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : undefined),
};

export function integerIn(min: number, max: number, example: number): FieldType<number> {
  return {
    expected: `an integer from ${min} to ${max}, in digits`,
    schema: { type: 'integer', minimum: min, maximum: max, examples: [example] },
    parse: (value) => (/^\d+$/.test(value) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined),
  };
}

const MAX_RECORD_ID = 2 ** 31 - 1;

export const RECORD_ID: FieldType<number> = {
  expected: `an id, in digits, from 1 to ${MAX_RECORD_ID}`,
  schema: { type: 'integer', minimum: 1, examples: [7] },
  parse: (value) => (/^\d+$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_RECORD_ID ? Number(value) : undefined),
};

/** The spellings that clients send; Python's is `True`. */
const FLAG_TEXTS = ['1', '0', 'true', 'false', 'True', 'False', 'TRUE', 'FALSE'];

export const FLAG: FieldType<boolean> = {
  expected: 'one of 1, 0, true, false, in any case',
  schema: {
    anyOf: [{ type: 'boolean' }, { type: 'integer', enum: [1, 0] }, { type: 'string', enum: FLAG_TEXTS }],
    examples: [true],
  },
  parse: (value) => (/^(1|true)$/i.test(value) ? true : /^(0|false)$/i.test(value) ? false : undefined),
};

export const YES_OR_NO = {
  expected: 'one of true, false, Sim, Não, Nao, 1, 0',
  schema: { type: 'string', enum: ['true', 'false', 'Sim', 'Não', 'Nao', '1', '0'], examples: ['true'] },
  parse(value) {
    if (/^(true|Sim|1)$/.test(value)) return true;
    return /^(false|Não|Nao|0)$/.test(value.normalize('NFC')) ? false : undefined;
  },
} satisfies FieldType<boolean>;

export const TIME: FieldType<string> = {
  expected: 'a time YYYY-MM-DD HH:MM:SS',
  schema: { type: 'string', examples: ['2026-11-21 14:30:00'] },
  parse(value) {
    const time = value.replace(/^(.{10})T/, '$1 ');
    return isTime(time) ? time : undefined;
  },
};

/** A point in time, to the millisecond. */
export const MOMENT: FieldType<Date> = {
  expected: 'a time YYYY-MM-DD HH:MM:SS in UTC, or an RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00',
  schema: { type: 'string', examples: ['2026-11-21 14:30:00', '2026-11-21T14:30:00+01:00'] },
  parse(value) {
    const [, date, time, fraction = '', offset] = /^(.{10})[T ](.{8})(?:(\.\d+)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/i.exec(value) ?? [];
    if (!date || !isTime(`${date} ${time}`) || (!offset && value[10] !== ' ')) return undefined;
    return new Date(`${date}T${time}${fraction.slice(0, 4)}${offset?.toUpperCase() ?? 'Z'}`);
  },
};

/** The beginning of a time, at least `min` characters long. */
export function timeBeginning(min: number): FieldType<string> {
  const examples = ['2026-11', '2026-11-21', '2026-11-21T14'].filter(({ length }) => length >= min);
  return {
    expected: `the beginning of a time YYYY-MM-DD HH:MM:SS, ${min > 0 ? `of ${min} characters or more, ` : ''}such as ${orList(examples)}`,
    schema: { type: 'string', examples: ['2026-11-21'] },
    parse(value) {
      const beginning = value.replace(/^(.{10})T/, '$1 ');
      const isValidBeginning = COMPLETIONS.some((time) => isTime(beginning + time.slice(beginning.length)));
      return isValidBeginning && beginning.length >= min ? beginning : undefined;
    },
  };
}

const DAY_OR_LONGER = timeBeginning('YYYY-MM-DD'.length);

/** A bound for filtering by time: the beginning of a time, or a complete time with an offset, which is converted to UTC and cut to the second. */
export const TIME_BOUND: FieldType<string> = {
  expected: `${DAY_OR_LONGER.expected}; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00`,
  schema: { type: 'string', examples: ['2026-11-21', '2026-11-21T14:30:00+01:00'] },
  parse(value) {
    const moment = MOMENT.parse(value.replace(/ (\d\d:\d\d)$/, '+$1')); // an unencoded + in a query is read as a space
    const time = moment && timestamp(moment);
    return time && isTime(time) ? time : DAY_OR_LONGER.parse(value); // the offset may move the time out of the years 0000 to 9999
  },
};

/**
 * Every valid beginning is completed by at least one of these. The second is needed only for a beginning that ends in
 * day `3` of a 30-day month: `2026-11-3` + `1` is not a date.
 */
const COMPLETIONS = ['2024-01-01 00:00:00', '2024-10-10 00:00:00'];

function orList(items: readonly string[]): string {
  return `${items.slice(0, -1).join(', ')} or ${items[items.length - 1]}`;
}

const MAX_LIFETIME_MS = 36_500 * DAY_MS;

/** Parses to milliseconds. */
export const LIFETIME: FieldType<number> = {
  expected: 'a number of 1 or more and a unit, s, m, h or d, such as 90d; at most 36500d',
  schema: { type: 'string', pattern: '^\\d+[smhd]$', examples: ['90d'] },
  parse(value) {
    const milliseconds = parseDuration(value) ?? 0;
    return milliseconds > 0 && milliseconds <= MAX_LIFETIME_MS ? milliseconds : undefined;
  },
};

/** A DNS host name: lower case, no trailing dot, other scripts in Punycode. */
export const HOST: FieldType<string> = {
  expected: `a host name of two labels or more and at most ${MAX_HOST_LENGTH} characters, without a scheme, port, path, IP address or underscore`,
  schema: { type: 'string', minLength: 1, maxLength: MAX_HOST_LENGTH, examples: ['www.example.com'] },
  parse(value) {
    // domainToASCII parses like a URL: it would decode %2e, cut at a slash, and drop invisible characters.
    if (/[\s\p{Cc}%:/\\?#@[\]<>^|]|(?![\u200C\u200D])\p{Cf}/u.test(value)) return undefined;
    const host = withoutDot(domainToASCII(value));
    // Checked after the conversion, because it turns 0x7f.1 and fullwidth digits into an IP address.
    return isHostName(host) && hasValidPunycode(host) ? host : undefined;
  },
};

const MAX_URL_LENGTH = 2_048;

export const HTTP_URL: FieldType<string> = {
  expected: `an absolute http:// or https:// URL of at most ${MAX_URL_LENGTH} characters, without a user name or password`,
  schema: { type: 'string', format: 'uri', pattern: '^https?://', maxLength: MAX_URL_LENGTH, examples: ['https://example.com/page'] },
  parse: (value) => (isWithin(value, MAX_URL_LENGTH) && isHttpUrl(value) ? value : undefined),
};

/** Also accepts the empty string, which clears an optional field; no schema `format` allows it. */
export function orEmpty<T>(fieldType: FieldType<T>): FieldType<T | ''> {
  const { pattern, examples } = fieldType.schema;
  return {
    expected: `empty, or ${fieldType.expected}`,
    schema: { ...fieldType.schema, format: undefined, pattern: pattern && `^$|${pattern}`, examples: [...examples, ''] },
    parse: (value) => (value === '' ? '' : fieldType.parse(value)),
  };
}

/** A code point is one or two UTF-16 units, so code points are counted only when the length doesn't decide. */
export function isWithin(value: string, codePoints: number): boolean {
  return value.length <= codePoints || (value.length <= 2 * codePoints && [...value].length <= codePoints);
}

/** Stricter than the URL parser, which silently fixes white space, backslashes and missing slashes. */
function isHttpUrl(value: string): boolean {
  if (findInvisible(value) || !/^https?:\/\/[^/?#@\\][^\s\\\p{Cc}]*$/iu.test(value) || /^[^/]*\/\/[^/?#]*@/.test(value)) return false;
  const url = URL.parse(value);
  return url !== null && hasValidPunycode(url.hostname);
}
