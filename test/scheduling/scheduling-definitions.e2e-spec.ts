/** @mysql never */
import { type Field, parameterName } from '../../src/scheduling/collections/collection';
import { COLLECTIONS } from '../../src/scheduling/collections/collections';
import { useApplication } from '../support/http/application';

const { application } = useApplication();

const LIST_PARAMETERS = ['api', 'orderby', 'sort', 'page', 'results_per_page'];
/** Folding case and accents may turn a character into three. */
const FOLDED_LENGTH = 3;

/** The columns of a table by name, as the entity declares them. */
function columnsOf(table: string) {
  const { columns } = application().dataSource.entityMetadatas.find(({ tableName }) => tableName === table)!;
  const kindOf = (type: unknown) => (typeof type === 'function' ? type.name.toLowerCase().replace('string', 'varchar') : type);
  return new Map(columns.map(({ databaseName, type, length }) => [databaseName, { type: kindOf(type), length: Number(length) }]));
}

function expectColumns(field: Field, table: string): void {
  const [columns, { name }] = [columnsOf(table), field];
  const column = columns.get(name);
  if (field.type === 'text') {
    expect(column).toEqual({ type: 'varchar', length: field.length });
    expect(columns.get(`${name}_folded`)).toEqual({ type: 'varchar', length: FOLDED_LENGTH * field.length });
  } else if (field.type === 'time') expect(column).toMatchObject({ type: 'varchar' });
  else if (field.type === 'flag') expect(column).toMatchObject({ type: 'boolean' });
  else {
    const names = field.type === 'reference' ? [name] : [field.column, `${field.column}_folded`];
    expect([...columnsOf(field.table).keys()]).toEqual(expect.arrayContaining(names));
    if (field.type === 'reference') expect(column).toBeDefined();
  }
}

test.each(COLLECTIONS)('the definition of $name matches its entity', ({ name: table, id, fields }) => {
  expect([...columnsOf(table).keys()]).toEqual(expect.arrayContaining(['account_id', id]));
  for (const field of fields) expectColumns(field, table);
});

test.each(COLLECTIONS)('the field names of $name are unique, and none is a list parameter', ({ id, fields }) => {
  const names = [id, ...fields.map(({ name }) => name)];
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
  expect(names.map(parameterName).filter((name) => LIST_PARAMETERS.includes(name))).toEqual([]);
});

test.each(COLLECTIONS)('each related text of $name comes from the table of a reference', ({ fields }) => {
  const referred = fields.flatMap((field) => (field.type === 'reference' ? field.table : []));
  const related = fields.flatMap((field) => (field.type === 'related' ? field.table : []));
  expect(referred).toEqual(expect.arrayContaining(related));
});
