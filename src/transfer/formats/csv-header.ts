import type { RecordColumns } from '../../common/record-columns';
import { DELIMITERS, parseCells } from './csv-cells';
import type { Line } from './lines';
import { FileError, printable } from './source-record';

export interface CsvHeader {
  text: string;
  delimiter: string;
  names: string[];
}

/** @throws FileError for an unknown, duplicate or missing column */
export function parseHeader({ text, bytes }: Line, { fields, columns }: RecordColumns): CsvHeader {
  if (bytes) throw new FileError('The header line is not UTF-8.');
  const line = text.trim();
  const delimiter = DELIMITERS.toSorted((a, b) => line.split(b).length - line.split(a).length)[0];
  const result = parseCells(line, delimiter);
  if (!('cells' in result)) throw new FileError("The header line can't be parsed: misplaced double quote.");
  const names = result.cells.map((cell) => cell.trim());
  const required = columns.filter(({ fallback }) => fallback === undefined).map(({ name }) => name);
  const invalid = {
    unknown: names.filter((name) => !fields.includes(name)),
    duplicate: names.filter((name, index) => names.indexOf(name) < index),
    missing: required.filter((name) => !names.includes(name)),
  };
  const problems = Object.entries(invalid)
    .filter(([, found]) => found.length > 0)
    .map(([problem, found]) => `${problem}: ${[...new Set(found)].map(printable).join(', ')}`);
  if (problems.length > 0) throw new FileError(`The header line is invalid: ${problems.join('; ')}. Accepted: ${fields.join(', ')}.`);
  return { text: line, delimiter, names };
}
