import { type FieldType, oneOf, timeBeginning, YES_OR_NO } from '../../common/field-types';
import type { Direction } from '../../database/lists/selection';
import { ASC_OR_DESC } from '../../http/pagination';
import { type Collection, parameterName, type SearchField, searchFields } from '../collections/collection';
import { foldPart } from '../../common/fold-text';

/** A filter value that matches every record. */
export const ANY = Symbol('any');

export type FilterValue = string | boolean;

export interface Filter {
  fieldType: FieldType<FilterValue | typeof ANY>;
  fallback: FilterValue | typeof ANY;
  description: string;
}

export function filterOf(field: SearchField): Filter {
  if (field.type === 'flag') return { fieldType: AVAILABILITY, fallback: true, description: 'filter; the default is Sim' };
  if (field.type === 'time') return { fieldType: TIME_PREFIX, fallback: ANY, description: 'filter' };
  const placeholder = field.type === 'related' ? field.placeholder : undefined;
  const description = placeholder ? `filter; the default is ${placeholder}` : 'filter';
  return { fieldType: containedText(field.example, placeholder), fallback: ANY, description };
}

function containedText(example: string, placeholder?: string): Filter['fieldType'] {
  return {
    expected: 'text',
    schema: { type: 'string', examples: [example] },
    parse: (value) => (value === '' || value === placeholder ? ANY : foldPart(value)),
  };
}

const AVAILABILITY: Filter['fieldType'] = {
  expected: `${YES_OR_NO.expected}, or empty for all`,
  schema: { ...YES_OR_NO.schema, enum: [...YES_OR_NO.schema.enum, ''] },
  parse: (value) => (value === '' ? ANY : YES_OR_NO.parse(value)),
};

const BEGINNING = timeBeginning(0);

const TIME_PREFIX: Filter['fieldType'] = { ...BEGINNING, parse: (value) => (value === '' ? ANY : BEGINNING.parse(value)) };

export function orderFields(collection: Collection): string[] {
  return [collection.id, ...searchFields(collection).map(({ name }) => name)];
}

/** Accepts hyphens or underscores; empty means the id. */
export function orderType(collection: Collection): FieldType<string> {
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
