import type { PromisedCollection } from './scheduling-interface';

export type WireRecord = Record<string, string | number | boolean>;

/**
 * The texts of the seeded records, each with its folded form. Both are literals, so that expectations do not depend on how the
 * service, or Unicode's tables, fold text.
 */
export const TEXTS: readonly [text: string, plain: string][] = [
  ['João da Silva', 'joao da silva'],
  ['Joa\u0303o da Silva', 'joao da silva'],
  ['JOAO DA SILVA', 'joao da silva'],
  ['joão', 'joao'],
  ['ÁGUA', 'agua'],
  ['agua', 'agua'],
  ['Água', 'agua'],
  ['A\u0301gua Verde', 'agua verde'],
  ['aguardente', 'aguardente'],
  [' Ágata', ' agata'],
  ['Ágata  ', 'agata  '],
  ['agata', 'agata'],
  ['Agata!', 'agata!'],
  ['100% Corte', '100% corte'],
  ['100_Corte', '100_corte'],
  ['100 Corte', '100 corte'],
  ["D'Ávila", "d'avila"],
  ['"Zé"', '"ze"'],
  ['C:\\Corte', 'c:\\corte'],
  ['Zoë', 'zoe'],
  ['Øystein', 'oystein'],
  ['Ñandú', 'nandu'],
  ['Conceição', 'conceicao'],
  ['CONCEIÇÃO', 'conceicao'],
  ['Οδυσσεύς', 'οδυσσευσ'],
  ['ΟΔΥΣΣΕΥΣ', 'οδυσσευσ'],
  ['Ёлка', 'елка'],
  ['가나', '가나'],
  ['💈 Barbearia', '💈 barbearia'],
  ['Ａｎａ', 'ａｎａ'],
  ['Straße', 'strasse'],
  ['Łódź, Đurđa & Þór', 'lodz, durda & thor'],
  ['ÆRØ', 'aero'],
  ['nome', 'nome'],
  ['--; DROP TABLE servicos', '--; drop table servicos'],
];

const PLAIN = new Map(TEXTS);

/** The text as filters and orders compare it, without trailing spaces, which MySQL ignores. */
export function plain(text: string): string {
  const found = PLAIN.get(text);
  if (found === undefined && !/^[ -@[-~]*$/.test(text)) throw new Error(`${text} is not in TEXTS.`);
  return (found ?? text).replace(/ +$/, '');
}

/** A filter by contained text (`plain` is its folded form), by the prefix of a time, or by a flag. */
export type Filter = { parameter: string; value: string } & (
  { type: 'text'; plain: string } | { type: 'time'; prefix: string } | { type: 'flag'; flag: boolean } | { type: 'none' }
);

const fieldOf = (parameter: string) => parameter.replaceAll('-', '_');

export function passes(record: WireRecord, filter: Filter): boolean {
  const value = record[fieldOf(filter.parameter)];
  if (filter.type === 'text') return plain(String(value)).includes(filter.plain);
  if (filter.type === 'time') return String(value).startsWith(filter.prefix);
  if (filter.type === 'flag') return value === filter.flag;
  return true;
}

/** The records filtered and sorted in memory. */
export function expectedList(
  collection: PromisedCollection,
  records: readonly WireRecord[],
  filters: readonly Filter[],
  orderby: string,
  sort: 'asc' | 'desc',
): WireRecord[] {
  const listed = new Set(filters.map(({ parameter }) => parameter));
  const defaults = collection.flags
    .filter((parameter) => !listed.has(parameter))
    .map((parameter): Filter => ({ parameter, value: 'Sim', type: 'flag', flag: true }));
  const all = [...filters, ...defaults];
  const id = fieldOf(collection.idParameter);
  const ties = new Map<WireRecord[string], WireRecord[]>(); // compares each distinct value once, as many records share few
  for (const record of records.filter((each) => all.every((filter) => passes(each, filter)))) {
    const value = record[fieldOf(orderby)];
    const key = typeof value === 'string' ? plain(value) : value;
    const tied = ties.get(key);
    if (tied) tied.push(record);
    else ties.set(key, [record]);
  }
  const ascending = [...ties]
    .sort(([one], [other]) => compare(one, other))
    .flatMap(([, tied]) => tied.sort((one, other) => Number(one[id]) - Number(other[id])));
  return sort === 'asc' ? ascending : ascending.reverse();
}

function compare(one: WireRecord[string], other: WireRecord[string]): number {
  return typeof one === 'string' ? Buffer.compare(Buffer.from(one), Buffer.from(String(other))) : Number(one) - Number(other);
}
