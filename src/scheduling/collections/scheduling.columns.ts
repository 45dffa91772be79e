import type { RecordColumn, RecordColumns } from '../../common/records';
import { RECORD_ID, text, TIME, YES_OR_NO } from '../../common/field-types';
import type { Collection, Field } from './collection';
import { fold } from '../../common/fold-text';

/** A collection's columns in an import or export file. */
export function schedulingColumns({ name, id, fields }: Collection): RecordColumns {
  return {
    name,
    id: { name: id, column: id },
    fields: [id, ...fields.map((field) => field.name)],
    columns: fields.flatMap(columnOf),
  };
}

function columnOf(field: Field): RecordColumn[] {
  const { name } = field;
  if (field.type === 'text') return [{ name, type: text(field.length, field.example), fold }];
  if (field.type === 'time') return [{ name, type: TIME }];
  if (field.type === 'flag') return [{ name, type: YES_OR_NO, json: 'boolean', fallback: 1 }];
  if (field.type === 'reference') return [{ name, type: RECORD_ID, json: 'number', reference: { table: field.table, id: name } }];
  return [];
}
