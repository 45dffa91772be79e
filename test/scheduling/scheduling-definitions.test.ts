// Runs on SQLite.
import type { Collection, Field } from '../../src/scheduling/collections/collection';
import { COLLECTIONS } from '../../src/scheduling/collections/collections';
import { checkDefinitions } from '../../src/scheduling/collections/served-collections';
import { useApplication, withApplication } from '../support/application';

const { application, database } = useApplication();

const HORARIO_ID: Field = { type: 'text', name: 'horario_id', length: 64, example: '09:00' };
const SERVICOS_ID: Field = { type: 'reference', name: 'servicos_id', table: 'servicos' };

/** The definitions, with this one changed. */
function collectionsWith(name: string, change: Partial<Collection>): Collection[] {
  return COLLECTIONS.map((collection) => (collection.name === name ? { ...collection, ...change } : collection));
}

test('a definition that does not match its entity prevents startup', async () => {
  const collections = COLLECTIONS as Collection[];
  const right = [...collections];
  collections.splice(0, collections.length, ...collectionsWith('horarios', { fields: [{ ...HORARIO_ID, name: 'horario_nome' }] }));
  try {
    const starting = withApplication(database().env, () => Promise.resolve());
    await expect(starting).rejects.toThrow(
      /^Collection horarios, field horario_nome: the entity Horario has no column horario_nome; add it/,
    );
  } finally {
    collections.splice(0, collections.length, ...right);
  }
});

test.each<[string, Partial<Collection>, RegExp]>([
  [
    'an unknown table',
    { name: 'cadeiras' },
    /^Collection cadeiras: no entity has the table cadeiras; correct the name, or add the entity to its area or extension\.$/,
  ],
  ['a duplicate name', { name: 'servicos', id: 'servicos_id', fields: [] }, /^Two collections have the name servicos; rename one\.$/],
  ['an id without a column', { id: 'hora_id' }, /^Collection horarios: the entity Horario has no column hora_id; add it .*migration/],
  [
    'a field without a column',
    { fields: [{ ...HORARIO_ID, name: 'horario_nome' }] },
    /^Collection horarios, field horario_nome: the entity Horario has no column horario_nome; add it .*migration/,
  ],
  ['a duplicate field', { fields: [HORARIO_ID, HORARIO_ID] }, /^Collection horarios, field horario_id: defined twice; remove one/],
  [
    'a hyphen',
    { fields: [{ ...HORARIO_ID, name: 'horario-id' }] },
    /^Collection horarios, field horario-id: its name may contain only .*rename it/,
  ],
  [
    'the name of a list parameter',
    { fields: [{ ...HORARIO_ID, name: 'sort' }] },
    /^Collection horarios, field sort: every list has a parameter .*rename it/,
  ],
  [
    'a type that differs from the column',
    { fields: [{ type: 'flag', name: 'horario_id' }] },
    /^Collection horarios, field horario_id: the column horario_id must be boolean\.$/,
  ],
  [
    'a text longer than its column',
    { fields: [{ ...HORARIO_ID, length: 65 }] },
    /^Collection horarios, field horario_id: the column horario_id holds 64 characters; make it 65\.\n.*horario_id_folded holds 192 .* 195\.$/,
  ],
  [
    'a reference to an unknown table',
    { name: 'agendamentos', id: 'agendamento_id', fields: [{ ...SERVICOS_ID, table: 'cadeiras' }] },
    /field servicos_id: no entity has the table cadeiras; correct the name/,
  ],
  [
    'a reference not named after the id of the other',
    { name: 'agendamentos', id: 'agendamento_id', fields: [{ type: 'reference', name: 'servicos_id', table: 'horarios' }] },
    /field servicos_id: the entity Horario has no column servicos_id;/,
  ],
  [
    'a related text without its reference',
    { fields: [{ type: 'related', name: 'servico_nome', table: 'servicos', column: 'servico_nome', example: 'Corte' }] },
    /^Collection horarios, field servico_nome: no field of the collection refers to servicos; add a reference\.$/,
  ],
  [
    'a related text that the other table lacks',
    {
      name: 'agendamentos',
      id: 'agendamento_id',
      fields: [SERVICOS_ID, { type: 'related', name: 'servico_nome', table: 'servicos', column: 'nome', example: 'Corte' }],
    },
    /^Collection agendamentos, field servico_nome: the entity Servico has no column nome; .*\n.*no column nome_folded;/,
  ],
])('%s is refused, with the place and the fix', (_, change, message) => {
  const collections = collectionsWith(change.name === 'agendamentos' ? 'agendamentos' : 'horarios', change);
  expect(() => checkDefinitions(collections, application().dataSource.entityMetadatas)).toThrow(message);
});
