import { type FieldType, MOMENT } from '../platform/common/field-types';

/** Also matches `oldest` and `latest`. */
export const CURSOR: FieldType<string> = {
  expected: 'oldest, latest, or a cursor: `meta.next` of an earlier response',
  schema: { type: 'string', examples: ['oldest'] },
  parse: (value) => (/^[A-Za-z0-9_-]{1,256}$/.test(value) ? value : undefined),
};

/** Types, or `<noun>.*`, each once. EventSources knows which exist, since extensions add types. */
export const TYPES: FieldType<string[]> = {
  expected: 'types of events with commas between them, each once: whole, or <noun>.* for all of one noun',
  schema: { type: 'string', examples: ['domain.*,delivery.failed'] },
  parse(value) {
    const types = value.split(',');
    return types.every((type) => /^[!-~]+$/.test(type)) && new Set(types).size === types.length ? types : undefined;
  },
};

/** A cursor of the feed, or a time. */
export const TIME_OR_CURSOR: FieldType<string | Date> = {
  expected: `${MOMENT.expected}, or a cursor of the feed`,
  schema: MOMENT.schema,
  parse: (value) => MOMENT.parse(value) ?? CURSOR.parse(value),
};
