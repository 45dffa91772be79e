import type { OrderedList } from '../../database/lists/ordered-list';
import { conditionsOf, type Filter } from '../../database/lists/selection';
import { type Collection, searchFields } from '../collections/collection';
import type { ListQuery } from './scheduling-query';

type ListOf = Pick<ListQuery, 'collection' | 'filters' | 'orderby'>;

/** The order of a list's indexes. Undefined when the list is filtered by more than flags. */
export function orderedList(accountId: number, { collection, filters, orderby }: ListOf): OrderedList | undefined {
  const { name: table, id, fields } = collection;
  const flags = fields.filter(({ name, type }) => type === 'flag' && filters.has(name));
  if (flags.length < filters.size) return undefined;
  const condition = conditionsOf(flags.map(({ name }): Filter => ({ column: name, match: 'equals', value: filters.get(name)! })));
  return { accountId, table, id, tables: tablesOf(collection), condition, ...orderOf(collection, orderby) };
}

/** The tables whose changes may show in a collection's records. */
export function tablesOf({ name, fields }: Collection): string[] {
  return [name, ...fields.flatMap((field) => (field.type === 'reference' ? field.table : []))];
}

function orderOf(collection: Collection, orderby: string): Pick<OrderedList, 'column' | 'reference'> {
  const field = searchFields(collection).find(({ name }) => name === orderby);
  if (!field) return { column: collection.id };
  if (field.type === 'text') return { column: `${field.name}_folded` };
  if (field.type !== 'related') return { column: field.name };
  const { table, column } = field;
  return { column: collection.id, reference: { table, column: referenceTo(collection, table), order: `${column}_folded` } };
}

/** The column that refers to the table; definitions are checked to have one. */
export function referenceTo({ fields }: Collection, table: string): string {
  return fields.find((field) => field.type === 'reference' && field.table === table)!.name;
}
