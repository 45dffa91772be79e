import { type FieldType, RECORD_ID, text, TIME, YES_OR_NO } from '../platform/common/field-types';
import { fold } from '../platform/common/fold-text';
import { isNestedTooDeeply, MAX_JSON_LEVELS, NOW, type RecordColumn, type RecordColumns } from '../platform/common/records';

export const NOTIFICATION_KEY: FieldType<string> = {
  expected: '32 lower-case hexadecimal characters',
  schema: { type: 'string', pattern: '^[0-9a-f]{32}$', examples: ['8f14e45fceea167a5a36dedd4bea2543'] },
  parse: (value) => (/^[0-9a-f]{32}$/.test(value) ? value : undefined),
};

export const NOTIFICATION_TYPE: FieldType<string> = {
  expected: 'a code of 1 to 64 characters, A-Z, 0-9 and underscores, that begins with a letter',
  schema: { type: 'string', pattern: '^[A-Z][A-Z0-9_]*$', maxLength: 64, examples: ['INFORMATIONAL'] },
  parse: (value) => (/^[A-Z][A-Z0-9_]{0,63}$/.test(value) ? value : undefined),
};

/** Columns of a campaign file. No route serves campaigns. */
export const CAMPAIGN_COLUMNS: RecordColumns = {
  name: 'campaigns',
  id: { name: 'campaign_id', column: 'id' },
  fields: ['campaign_id', 'name', 'is_enabled', 'datetime'],
  columns: [
    { name: 'name', type: text(128, 'Spring') },
    { name: 'is_enabled', type: YES_OR_NO, json: 'boolean', fallback: 1 },
    { name: 'datetime', type: TIME, fallback: NOW },
  ],
};

const MAX_SETTINGS_BYTES = 60 * 1_024;

const SETTINGS_TYPE = {
  expected: `a JSON object of at most ${MAX_SETTINGS_BYTES} bytes and ${MAX_JSON_LEVELS} levels`,
  parse: (value: string) => (Buffer.byteLength(value) <= MAX_SETTINGS_BYTES && isJsonObject(value) ? value : undefined),
};

const COLUMNS: RecordColumn[] = [
  { name: 'campaign_id', type: RECORD_ID, json: 'number', reference: { table: 'campaigns', id: 'id' } },
  { name: 'notification_key', type: NOTIFICATION_KEY },
  { name: 'name', type: text(128, 'Weekend offer'), fold },
  { name: 'type', type: NOTIFICATION_TYPE },
  { name: 'settings', type: SETTINGS_TYPE, json: 'object', fallback: '{}' },
  { name: 'is_enabled', type: YES_OR_NO, json: 'boolean', fallback: 1 },
  { name: 'last_datetime', type: TIME, fallback: null, isUpdateTime: true },
  { name: 'datetime', type: TIME, fallback: NOW },
];

/** Columns of a notification file. No route writes notifications; they are imported. */
export const NOTIFICATION_COLUMNS: RecordColumns = {
  name: 'notifications',
  id: { name: 'id', column: 'id' },
  fields: ['id', ...COLUMNS.map(({ name }) => name)],
  columns: COLUMNS,
};

function isJsonObject(value: string): boolean {
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) && !isNestedTooDeeply(parsed);
  } catch {
    return false;
  }
}
