import type { RecordColumns } from '../../common/record-columns';
import { requiredNames, shown } from '../collections';
import { readCells } from './csv-cells';
import { FileError } from '../file-error';
import type { Line } from './lines';

export interface CsvHeader {
  text: string;
  delimiter: string;
  /** One a cell, in the order of the file. */
  names: string[];
}

const DELIMITERS = [',', ';', '\t'];

/** @throws FileError when a name is unknown, comes twice or is missing */
export function readHeader({ text, bytes }: Line, collection: RecordColumns): CsvHeader {
  if (bytes) throw new FileError('The header line is not UTF-8.');
  const line = text.trim();
  const delimiter = DELIMITERS.toSorted((a, b) => line.split(b).length - line.split(a).length)[0];
  const result = readCells(line, delimiter);
  if (!('cells' in result)) throw new FileError('The header line can’t be read: a quotation mark stands where none can.');
  const names = result.cells.map((cell) => cell.trim());
  refuse(names, collection);
  return { text: line, delimiter, names };
}

function refuse(names: string[], collection: RecordColumns): void {
  const accepted = collection.fields;
  const problems = [
    list(
      'unknown',
      names.filter((name) => !accepted.includes(name)),
    ),
    list(
      'more than once',
      names.filter((name, index) => names.indexOf(name) < index),
    ),
    list(
      'missing',
      requiredNames(collection).filter((name) => !names.includes(name)),
    ),
  ].filter(Boolean);
  if (problems.length > 0) throw new FileError(`The header line is wrong: ${problems.join('; ')}. Accepted: ${accepted.join(', ')}.`);
}

function list(what: string, names: string[]): string {
  return names.length > 0 ? `${what}: ${[...new Set(names)].map(shown).join(', ')}` : '';
}
