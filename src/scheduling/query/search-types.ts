import { isTime } from '../../common/time';
import { type FieldType, YES_OR_NO } from '../../common/field-types';
import { type Collection, parameterName, type SearchField, searchFields } from '../collections/collection';
import { foldPart } from './fold';

/** The value of a filter that lets every record pass. */
export const ANY = Symbol('any');

export type FilterValue = string | boolean | typeof ANY;

/** What the filter of a field takes, and what it is when it is left out. */
export function filterOf(field: SearchField): { fieldType: FieldType<FilterValue>; fallback: FilterValue; shownFallback: string } {
  if (field.type === 'flag') return { fieldType: AVAILABILITY, fallback: true, shownFallback: 'Sim' };
  if (field.type === 'time') return { fieldType: TIME_PREFIX, fallback: ANY, shownFallback: '' };
  const placeholder = field.type === 'related' ? field.placeholder : undefined;
  return { fieldType: containedText(field.example, placeholder), fallback: ANY, shownFallback: placeholder ?? '' };
}

function containedText(example: string, placeholder?: string): FieldType<FilterValue> {
  return {
    expected: 'text',
    schema: { type: 'string', examples: [example] },
    parse: (value) => (value === '' || value === placeholder ? ANY : foldPart(value)),
  };
}

const AVAILABILITY: FieldType<FilterValue> = {
  expected: `${YES_OR_NO.expected}, or empty for all`,
  schema: { ...YES_OR_NO.schema, enum: [...YES_OR_NO.schema.enum, ''] },
  parse: (value) => (value === '' ? ANY : YES_OR_NO.parse(value)),
};

const TIME_PREFIX: FieldType<FilterValue> = {
  expected: 'the beginning of a time YYYY-MM-DD HH:MM:SS, such as 2026-11, 2026-11-21 or 2026-11-21T14',
  schema: { type: 'string', examples: ['2026-11-21'] },
  parse(value) {
    if (value === '') return ANY;
    const prefix = value.replace(/^(.{10})T/, '$1 ');
    return COMPLETIONS.some((time) => isTime(prefix + time.slice(prefix.length))) ? prefix : undefined;
  },
};

/** What begins a time becomes one when the rest is taken from one of these: the second serves after a 1, 2, 3 that stands for ten, twenty, thirty. */
const COMPLETIONS = ['2024-01-01 00:00:00', '2024-10-10 00:00:00'];

/** The fields that a collection's lists are ordered by, each by its name with hyphens and with underscores. */
export function orderType(collection: Collection): FieldType<string> {
  const names = [collection.id, ...searchFields(collection).map(({ name }) => name)];
  const allowed = names.map(parameterName);
  return {
    expected: `one of ${allowed.join(', ')}`,
    schema: { type: 'string', enum: allowed, examples: [allowed[0]] },
    parse: (value) => (value === '' ? collection.id : names.find((name) => name === value || parameterName(name) === value)),
  };
}

export type Direction = 'asc' | 'desc';

export const DIRECTION: FieldType<Direction> = {
  expected: 'one of asc, desc',
  schema: { type: 'string', enum: ['asc', 'desc'], examples: ['asc'] },
  parse: (value) => (value === '' || value === 'asc' ? 'asc' : value === 'desc' ? 'desc' : undefined),
};

export const DIGITS: FieldType<number> = {
  expected: 'an integer, in digits',
  schema: { type: 'integer', minimum: 0, examples: [7] },
  parse: (value) => (/^\d+$/.test(value) ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : undefined),
};
