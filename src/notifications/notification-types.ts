import type { FieldType } from '../common/field-types';

export const KEY: FieldType<string> = {
  expected: '32 lower-case hexadecimal characters',
  schema: { type: 'string', pattern: '^[0-9a-f]{32}$', examples: ['8f14e45fceea167a5a36dedd4bea2543'] },
  parse: (value) => (/^[0-9a-f]{32}$/.test(value) ? value : undefined),
};

export const TYPE: FieldType<string> = {
  expected: 'a code of 1 to 64 characters, A-Z, 0-9 and underscores, that begins with a letter',
  schema: { type: 'string', pattern: '^[A-Z][A-Z0-9_]*$', maxLength: 64, examples: ['INFORMATIONAL'] },
  parse: (value) => (/^[A-Z][A-Z0-9_]{0,63}$/.test(value) ? value : undefined),
};
