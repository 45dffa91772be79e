import { type FieldType, MOMENT } from '../platform/common/field-types';

/** A cursor, `oldest` or `latest`. */
export const CURSOR: FieldType<string> = {
  expected: 'oldest, latest, or a cursor: `meta.next` of an earlier response',
  schema: { type: 'string', examples: ['oldest'] },
  parse: (value) => (/^[A-Za-z0-9_-]{1,256}$/.test(value) ? value : undefined),
};

/** Types or `<noun>.*`, without duplicates. EventSources checks that they exist, since extensions add types. */
export const TYPES: FieldType<string[]> = {
  expected: 'comma-separated event types without duplicates; <noun>.* for all of a noun',
  schema: { type: 'string', examples: ['domain.*,delivery.failed'] },
  parse(value) {
    const types = value.split(',');
    return types.every((type) => /^[!-~]+$/.test(type)) && new Set(types).size === types.length ? types : undefined;
  },
};

export const TIME_OR_CURSOR: FieldType<string | Date> = {
  expected: `${MOMENT.expected}, or a cursor of the feed`,
  schema: MOMENT.schema,
  parse: (value) => MOMENT.parse(value) ?? CURSOR.parse(value),
};
