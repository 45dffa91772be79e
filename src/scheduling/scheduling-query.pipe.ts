import { Injectable, type PipeTransform } from '@nestjs/common';
import { type FieldType, oneOf, parseText, Refused, timeBeginning, YES_OR_NO } from '../platform/common/field-types';
import { foldPart } from '../platform/common/fold-text';
import type { Direction } from '../platform/database/records/selection';
import { ASC_OR_DESC, DEFAULT_PAGE_SIZE, PAGE_NUMBER, PAGE_SIZE } from '../platform/http/list-query';
import { type ErrorCode, printableName, RequestError, type Violation } from '../platform/http/request-error';
import { type Collection, orderFields, parameterName, type SearchField, searchFields } from './collections/collection';
import { ServedCollections } from './collections/served-collections';
import type { CollectionQuery, FilterValue, RecordQuery, SchedulingQuery } from './scheduling-sql';

/** A filter value that matches every record. */
const ANY = Symbol('any');

type FilterType = FieldType<FilterValue | typeof ANY>;

/** Parses a query by the collection that `api` names. @throws RequestError with all violations */
@Injectable()
export class SchedulingQueryPipe implements PipeTransform<Sent, SchedulingQuery> {
  constructor(private readonly collections: ServedCollections) {}

  transform(sent: Sent): SchedulingQuery {
    const collection = this.collections.find(sent.api);
    if (!collection) throw refuseApi(sent.api, apiType(this.collections.list));
    return parameterName(collection.id) in sent ? recordQuery(collection, sent) : listQuery(collection, sent);
  }
}

/** A repeated parameter is an array. */
type Sent = Readonly<Record<string, unknown>>;

function refuseApi(value: unknown, { expected }: FieldType<string>): RequestError {
  const source = { in: 'query', name: 'api' } as const;
  if (value === undefined || value === '') return RequestError.of('missing_parameter', `api is required: ${expected}.`, source);
  const accepted = Array.isArray(value) ? 'given once' : expected;
  return RequestError.of('invalid_parameter', `api must be ${accepted}.`, source);
}

function recordQuery(collection: Collection, sent: Sent): RecordQuery {
  const name = parameterName(collection.id);
  const { [name]: id } = parse({ api: apiType([collection]), [name]: DIGITS }, sent);
  return { collection, id: id as number };
}

function listQuery(collection: Collection, sent: Sent): CollectionQuery {
  const fields = searchFields(collection);
  const values = parse(
    {
      ...{ page: PAGE_NUMBER, results_per_page: PAGE_SIZE, api: apiType([collection]) },
      ...Object.fromEntries(fields.map((field) => [parameterName(field.name), filterType(field)])),
      ...{ orderby: orderType(collection), sort: DIRECTION },
    },
    sent,
  );
  const filters = new Map<string, FilterValue>();
  for (const { name, type } of fields) {
    const value = (values[parameterName(name)] ?? (type === 'flag' ? true : ANY)) as FilterValue | typeof ANY;
    if (value !== ANY) filters.set(name, value);
  }
  const { orderby = collection.id, sort = 'asc', page, results_per_page: size } = values as Partial<ListValues>;
  const isPaged = page !== undefined || size !== undefined;
  const request = isPaged ? { page: page ?? 1, size: size ?? DEFAULT_PAGE_SIZE, keepsQuery: true } : undefined;
  return { collection, orderby, sort, filters, page: request };
}

interface ListValues {
  orderby: string;
  sort: Direction;
  page: number;
  results_per_page: number;
}

/** @throws RequestError with all violations */
function parse(types: Readonly<Record<string, FieldType<unknown>>>, sent: Sent): Record<string, unknown> {
  const violations: Violation[] = [];
  const values: Record<string, unknown> = {};
  const refuse = (code: ErrorCode, name: string, detail: string) => violations.push({ code, detail, source: { in: 'query', name } });
  for (const name of Object.keys(sent).filter((each) => !Object.hasOwn(types, each))) {
    refuse('unknown_parameter', name, `${printableName(name)} is not known here; accepted: ${Object.keys(types).join(', ')}.`);
  }
  for (const [name, type] of Object.entries(types).filter(([each]) => each in sent)) {
    const value = parseParameter(type, sent[name]);
    if (sent[name] === '' && type === DIGITS) refuse('missing_parameter', name, `${name} is required.`);
    else if (value instanceof Refused) refuse('invalid_parameter', name, `${name} ${value.reason}.`);
    else values[name] = value;
  }
  if (violations.length > 0) throw new RequestError(violations);
  return values;
}

function parseParameter(type: FieldType<unknown>, value: unknown): unknown {
  if (typeof value !== 'string') return new Refused('must be a single value, neither repeated nor an array');
  // The replacement character stands for bytes that were not UTF-8.
  return value.includes('\uFFFD') || !value.isWellFormed() ? new Refused('must be text in valid UTF-8') : parseText(type, value);
}

export function apiType(collections: readonly Collection[]): FieldType<string> {
  const names = collections.map(({ name }) => name);
  return oneOf(names, names[0]);
}

export function filterType(field: SearchField): FilterType {
  if (field.type === 'flag') return AVAILABILITY;
  if (field.type === 'time') return TIME_PREFIX;
  const placeholder = field.type === 'related' ? field.placeholder : undefined;
  return {
    expected: 'text',
    schema: { type: 'string', examples: [field.example] },
    parse: (value) => (value === '' || value === placeholder ? ANY : foldPart(value)),
  };
}

const AVAILABILITY: FilterType = {
  expected: `${YES_OR_NO.expected}, or empty for all`,
  schema: { ...YES_OR_NO.schema, enum: [...YES_OR_NO.schema.enum, ''] },
  parse: (value) => (value === '' ? ANY : YES_OR_NO.parse(value)),
};

const BEGINNING = timeBeginning(0);

const TIME_PREFIX: FilterType = { ...BEGINNING, parse: (value) => (value === '' ? ANY : BEGINNING.parse(value)) };

/** Accepts hyphens or underscores; empty means the id. */
function orderType(collection: Collection): FieldType<string> {
  const fields = orderFields(collection);
  return {
    ...oneOf(fields.map(parameterName), parameterName(collection.id)),
    parse: (value) => (value === '' ? collection.id : fields.find((name) => name === value || parameterName(name) === value)),
  };
}

export const DIRECTION: FieldType<Direction> = { ...ASC_OR_DESC, parse: (value) => ASC_OR_DESC.parse(value || 'asc') };

export const DIGITS: FieldType<number> = {
  expected: 'an integer, in digits',
  schema: { type: 'integer', minimum: 0, examples: [7] },
  parse: (value) => (/^\d+$/.test(value) ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : undefined),
};
