import { parseText, RECORD_ID, InvalidInput } from '../../platform/common/field-types';
import { trimInvisible } from '../../platform/common/invisible-characters';
import { type ColumnValue, isNestedTooDeeply, NOW, type RecordColumn, type RecordColumns } from '../../platform/common/records';
import { printable, type SourceRecord } from './source';

/** A problem with a record; `reason` follows the column's name in the message. */
interface Problem {
  column?: string;
  reason: string;
}

export interface ParsedRecord {
  source: SourceRecord;
  id?: number;
  /**
   * By table column. Absent if the file lacks the column, or has no value for one whose fallback is NOW: an insert uses the
   * fallback, an update keeps the stored value.
   */
  values: Record<string, ColumnValue>;
  problems: Problem[];
}

const ID_COLUMN = { type: RECORD_ID, json: 'number' } as const;
const EMPTY = Symbol('empty');

/** Parses the values of a record from any file format. */
export function readRecord(source: SourceRecord, { id, fields, columns }: RecordColumns): ParsedRecord {
  const record: ParsedRecord = { source, values: {}, problems: [] };
  const { problems } = record;
  if (!source.values) {
    problems.push({ reason: source.unreadable ?? '' });
    return record;
  }
  for (const name in source.values) {
    if (!fields.includes(name)) problems.push({ reason: `${printable(name)} is unknown; accepted: ${fields.join(', ')}` });
  }
  const value = readValue(source.values[id.name], ID_COLUMN);
  if (value instanceof InvalidInput) problems.push({ column: id.name, reason: value.reason });
  else if (value !== undefined && value !== EMPTY) record.id = Number(value);
  for (const column of columns) readColumn(column, source.values[column.name], record);
  return record;
}

function readColumn(column: RecordColumn, raw: unknown, { values, problems }: ParsedRecord): void {
  const { name, fallback } = column;
  const value = readValue(raw, column);
  if (value instanceof InvalidInput) problems.push({ column: name, reason: value.reason });
  else if (value !== undefined && value !== EMPTY) values[name] = value;
  else if (fallback === undefined) problems.push({ column: name, reason: 'is required' });
  else if (value === EMPTY && fallback !== NOW) values[name] = fallback;
}

function readValue(raw: unknown, { type, json }: Pick<RecordColumn, 'type' | 'json'>) {
  if (raw === undefined) return undefined;
  if (raw === null) return EMPTY;
  const text = textOf(raw, json);
  if (text === '') return EMPTY;
  if (!text?.isWellFormed()) return new InvalidInput(`must be ${type.expected}`);
  const value = type.parse(text) ?? type.parse(plainSpelling(text)) ?? parseText(type, text);
  return typeof value === 'boolean' ? Number(value) : value;
}

/** Converts a spreadsheet's spelling of a boolean, whole number or time to the one that field types accept. */
function plainSpelling(text: string): string {
  const plain = text.normalize('NFC').replace(/^(\d+)\.0+$/, '$1').replace(/^(\d{4}-\d\d-\d\d[ T]\d\d:\d\d)$/, '$1:00'); // prettier-ignore
  if (/^(true|verdadeiro|sim|s)$/i.test(plain)) return 'true';
  return /^(false|falso|n[ãa]o|n)$/i.test(plain) ? 'false' : plain;
}

/** Undefined for a JSON type that the column doesn't accept; a boolean also accepts 1 and 0. */
function textOf(raw: unknown, json: RecordColumn['json']): string | undefined {
  if (typeof raw === 'string') return trimInvisible(raw);
  if (typeof raw === 'number') return json === 'number' || json === 'boolean' ? String(raw) : undefined;
  if (typeof raw === 'boolean') return json === 'boolean' ? String(raw) : undefined;
  return json === 'object' && !isNestedTooDeeply(raw) ? JSON.stringify(raw) : undefined;
}
