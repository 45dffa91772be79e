import { randomBytes } from 'node:crypto';
import { Client, DOMAINS, HANDLERS, readAll } from './client.mjs';

/** The scheduling collections, with the parameter and the field of their ids. */
export const COLLECTIONS = [
  { api: 'servicos', parameter: 'servicos-id', id: 'servicos_id' },
  { api: 'atendentes', parameter: 'atendentes-id', id: 'atendentes_id' },
  { api: 'atendenteservico', parameter: 'atendenteservico-id', id: 'atendenteservico_id' },
  { api: 'horarios', parameter: 'horarios-id', id: 'horarios_id' },
  { api: 'agendamentos', parameter: 'agendamento-id', id: 'agendamento_id' },
];
const LISTS = [DOMAINS, '/api/notification-handler', '/api/notifications', '/api/messages', '/api/deliveries'];
const RECORDS_PER_LIST = 2;
const TIME = '2026-12-01 09:30:00';

/** Gives an empty account two records of everything, each with a text that starts with the account's mark. */
export async function seed(stage, account, port) {
  const client = new Client(port, account.key);
  const mark = markOf(account);
  for (let number = 1; number <= RECORDS_PER_LIST; number++) {
    const [host, email] = [`${mark}-${number}.example.com`, `${mark}-${number}@example.com`];
    await create(client, DOMAINS, { host, custom_index_url: `https://${host}/` });
    await create(client, HANDLERS, { name: `${mark} ${number}`, type: 'email', email });
    await create(client, '/api/messages', { text: `${mark} ${number}` });
    await insertNotification(stage, account.id, mark);
    await insertScheduling(stage, account.id, `${mark} ${number}`);
  }
  client.close();
}

/** Inserts with SQL: no route writes notifications, and an import takes seconds per file. */
async function insertNotification(stage, account_id, name) {
  const common = { account_id, name, is_enabled: 1, datetime: TIME };
  const campaign_id = await insert(stage, 'campaigns', common);
  const notification_key = randomBytes(16).toString('hex');
  await insert(stage, 'notifications', { ...common, campaign_id, notification_key, type: 'INFORMATIONAL', settings: '{}' });
}

async function insertScheduling(stage, account_id, name) {
  const servicos_id = await insert(stage, 'servicos', { account_id, ...searched('servico_nome', name) });
  const attendant = { ...searched('atendente_nome', name), ...searched('atendente_cargo', name), atendente_diponivel: 1 };
  const atendentes_id = await insert(stage, 'atendentes', { account_id, ...attendant });
  await insert(stage, 'atendenteservico', { account_id, atendentes_id, servicos_id });
  await insert(stage, 'horarios', { account_id, ...searched('horario_id', name), horario_disponivel: 1 });
  const customer = { ...searched('nome', name), ...searched('telefone', '(11) 98765-4321'), data_hora: TIME };
  await insert(stage, 'agendamentos', { account_id, ...customer, servicos_id, atendentes_id });
}

/** A text and its search form. */
function searched(column, text) {
  return { [column]: text, [`${column}_folded`]: text.toLowerCase() };
}

async function insert(stage, table, row) {
  const columns = Object.keys(row);
  const marks = columns.map(() => '?').join(', ');
  const { insertId } = await stage.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`, Object.values(row));
  return insertId;
}

/** A text in every record of an account, and in no other. */
export function markOf({ name }) {
  return `canary-of-${name}`;
}

/** Everything an account's key can see: `lists` by path, `scheduling` by collection. */
export async function readRecords(port, account) {
  const client = new Client(port, account.key);
  const lists = {};
  const scheduling = {};
  for (const path of LISTS) lists[path] = await readAll(client, path);
  for (const { api } of COLLECTIONS) scheduling[api] = JSON.parse((await client.send('GET', `/scheduling?api=${api}`)).text).data;
  client.close();
  return { lists, scheduling };
}

async function create(client, path, form) {
  const { status, text } = await client.send('POST', path, { form });
  if (status !== 201) throw new Error(`${path} responded with ${status}: ${text}`);
}
