import { type ColumnValue, NOW, type RecordColumn, type RecordColumns } from '../../common/record-columns';
import { RECORD_ID } from '../../common/field-types';
import { shown } from '../collections';
import type { SourceRecord } from '../formats/source-record';

/** What is wrong with a record; its end is a sentence's, as «must be …». */
export interface Problem {
  column?: string;
  reason: string;
}

/** What a record of a file says, as far as it can be read. */
export interface Draft {
  source: SourceRecord;
  id?: number;
  /** By the columns of the table; one that the file leaves out, or leaves to its insertion, is absent. */
  values: Record<string, ColumnValue>;
  problems: Problem[];
}

type JsonType = RecordColumn['json'];

const ID = { type: RECORD_ID, json: 'number' } as const;

/** Reads the values of a collection's records, whatever the format of the file. */
export class RecordReader {
  private readonly fields: ReadonlySet<string>;

  constructor(private readonly collection: RecordColumns) {
    this.fields = new Set(collection.fields);
  }

  read(source: SourceRecord): Draft {
    const draft: Draft = { source, values: {}, problems: [] };
    if (source.values) this.readValues(source.values, draft);
    else draft.problems.push({ reason: source.unreadable ?? '' });
    return draft;
  }

  private readValues(values: Record<string, unknown>, draft: Draft): void {
    const { id, columns, fields } = this.collection;
    for (const name in values) {
      if (!this.fields.has(name)) draft.problems.push({ reason: `${shown(name)} is unknown; accepted: ${fields.join(', ')}` });
    }
    const given = readValue(values[id.name], ID);
    if (given === UNREADABLE) draft.problems.push(mustBe(id.name, RECORD_ID.expected));
    else if (given !== undefined && given !== EMPTY) draft.id = Number(given);
    for (const column of columns) this.readColumn(column, values[column.name], draft);
  }

  private readColumn(column: RecordColumn, given: unknown, { values, problems }: Draft): void {
    const { name, type, fallback } = column;
    const value = readValue(given, column);
    if (value === UNREADABLE) problems.push(mustBe(name, type.expected));
    else if (value !== undefined && value !== EMPTY) values[name] = value;
    else if (fallback === undefined) problems.push({ column: name, reason: 'is required' });
    else if (value === EMPTY && fallback !== NOW) values[name] = fallback;
  }
}

const EMPTY = Symbol('empty');
const UNREADABLE = Symbol('unreadable');

function mustBe(column: string, accepts: string): Problem {
  return { column, reason: `must be ${accepts}` };
}

function readValue(given: unknown, { type, json }: Pick<RecordColumn, 'type' | 'json'>) {
  if (given === undefined) return undefined;
  if (given === null) return EMPTY;
  const text = textOf(given, json);
  if (text === '') return EMPTY;
  const value = text?.isWellFormed() ? type.parse(text) : undefined;
  if (value === undefined) return UNREADABLE;
  return typeof value === 'boolean' ? Number(value) : value;
}

/** A number stands for a flag, too: 1 and 0. */
function textOf(given: unknown, json: JsonType): string | undefined {
  if (typeof given === 'string') return given.trim();
  if (typeof given === 'number') return json === 'number' || json === 'boolean' ? String(given) : undefined;
  if (typeof given === 'boolean') return json === 'boolean' ? String(given) : undefined;
  return json === 'object' ? JSON.stringify(given) : undefined;
}
