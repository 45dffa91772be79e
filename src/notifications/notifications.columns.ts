import { NOW, type RecordColumn, type RecordColumns } from '../common/record-columns';
import { RECORD_ID, text, TIME, YES_OR_NO } from '../common/field-types';

const MOST_SETTINGS_BYTES = 60 * 1_024;

const KEY = {
  accepts: '32 lower-case hexadecimal characters',
  read: (value: string) => (/^[0-9a-f]{32}$/.test(value) ? value : undefined),
};

const TYPE = {
  accepts: 'a code of 1 to 64 characters, A-Z, 0-9 and underscores, that begins with a letter',
  read: (value: string) => (/^[A-Z][A-Z0-9_]{0,63}$/.test(value) ? value : undefined),
};

const SETTINGS = {
  accepts: `a JSON object of at most ${MOST_SETTINGS_BYTES} bytes`,
  read: (value: string) => (Buffer.byteLength(value) <= MOST_SETTINGS_BYTES && isJsonObject(value) ? value : undefined),
};

const COLUMNS: RecordColumn[] = [
  { name: 'campaign_id', kind: RECORD_ID, json: 'number', reference: { table: 'campaigns', id: 'id' } },
  { name: 'notification_key', kind: KEY, isUnique: true },
  { name: 'name', kind: text(128, 'Weekend offer') },
  { name: 'type', kind: TYPE },
  { name: 'settings', kind: SETTINGS, json: 'object', fallback: '{}' },
  { name: 'is_enabled', kind: YES_OR_NO, json: 'boolean', fallback: 1 },
  { name: 'last_datetime', kind: TIME, fallback: null },
  { name: 'datetime', kind: TIME, fallback: NOW },
];

/** Notifications as files hold them: what no route writes is imported. */
export const NOTIFICATION_COLUMNS: RecordColumns = {
  name: 'notifications',
  id: { name: 'id', column: 'id' },
  fields: ['id', ...COLUMNS.map(({ name }) => name)],
  columns: COLUMNS,
};

function isJsonObject(value: string): boolean {
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}
