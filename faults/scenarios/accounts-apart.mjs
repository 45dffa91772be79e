import { createKey } from '../harness/accounts.mjs';
import { Client } from '../harness/client.mjs';
import { COLLECTIONS, markOf, readRecords, seed } from '../harness/seed.mjs';
import { must, none, tested } from '../harness/table.mjs';

export const name = 'accounts-apart';
const NO_RECORD = 2_000_000_000;
const METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH'];
const FORMS = [undefined, { name: 'Changed by a stranger' }, { custom_index_url: 'https://stranger.example.com/' }, { type: 'slack' }];

/** Two accounts each request every record of the other, on every route of the OpenAPI document. */
export async function run(context) {
  const rows = [];
  for (const database of context.either(['mariadb', 'sqlite'], ['mariadb'])) rows.push(...(await runOn(await context.stage(database))));
  return rows;
}

async function runOn(stage) {
  const accounts = [await stage.account('ana'), await stage.account('bea')];
  const keys = []; // with access to keys
  for (const { id } of accounts) keys.push(await createKey(stage, id, 'domains:read,keys:write'));
  const { port } = await stage.start({ DELIVERY_CONCURRENCY: '0' }); // deliveries must not change, either
  for (const account of accounts) await seed(stage, account, port);
  const before = await Promise.all(accounts.map((account) => readRecords(port, account)));
  const { paths } = JSON.parse((await new Client(port).send('GET', '/openapi.json')).text);

  const found = { tried: 0, refused: 0, seen: 0, different: [] };
  for (const [index, stranger] of accounts.entries()) {
    const owner = 1 - index;
    const client = new Client(port, stranger.key);
    const isSeen = ({ text = '' }) => text.includes(markOf(accounts[owner]));
    for (const request of requestsFor(paths, before[owner])) await compare(client, request, isSeen, found);
    for (const path of listsOf(paths, markOf(accounts[owner]))) {
      found.tried++;
      if (isSeen(await client.send('GET', path))) found.seen++;
    }
    client.close();
    const keyClient = new Client(port, keys[index].key);
    for (const request of requestsTo('/api/keys/{key_id}', [keys[owner].id])) await compare(keyClient, request, isSeen, found);
    keyClient.close();
  }
  const after = await Promise.all(accounts.map((account) => readRecords(port, account)));
  const different = found.different.length === 0 ? '0' : `${found.different.length}, such as ${found.different[0]}`;
  return [
    tested(`requests for the other account's records, ${stage.name}`, found.tried),
    tested(`of them answered 404, ${stage.name}`, found.refused),
    none(`records seen, ${stage.name}`, found.seen),
    must(`records changed, ${stage.name}`, ...sameness(before, after)),
    must(`responses that differ from those to an unknown id, ${stage.name}`, different, '0', found.different.length === 0),
  ];
}

/** Another account's id must get the same response as an id that does not exist. */
async function compare(client, { method, pathOf, id, form }, isSeen, found) {
  const foreign = await client.send(method, pathOf(id), { form });
  const unknown = await client.send(method, pathOf(NO_RECORD), { form });
  found.tried++;
  if (foreign.status === 404) found.refused++;
  if (foreign.status < 400 || isSeen(foreign)) found.seen++;
  if (essenceOf(foreign) !== essenceOf(unknown)) found.different.push(`${method} ${pathOf(id)}: ${foreign.status}`);
}

/** All bytes except the request id and timestamps. */
function essenceOf({ status, failure, head = [], text = '' }) {
  const id = head[head.indexOf('X-Request-Id') + 1];
  const clock = head[head.indexOf('Date') + 1];
  return JSON.stringify([status, failure, head, text]).replaceAll(id, '').replaceAll(clock, '');
}

function requestsFor(paths, { lists, scheduling }) {
  const requests = [];
  for (const path of Object.keys(paths).filter((one) => one.includes('{') && !one.startsWith('/api/keys/'))) {
    const list = path.replace(/\/\{.*/, '').replace('handlers', 'handler');
    const ids = lists[list].map(({ id }) => id);
    requests.push(...requestsTo(path, ids));
  }
  for (const { api, parameter, id: field } of COLLECTIONS) {
    const pathOf = (id) => `/scheduling?api=${api}&${parameter}=${id}`;
    requests.push(...scheduling[api].map((record) => ({ method: 'GET', pathOf, id: record[field] })));
  }
  return requests;
}

function requestsTo(path, ids) {
  const pathOf = (id) => path.replace(/\{.*\}/, String(id));
  const forms = (method) => (method === 'POST' ? FORMS : [undefined]);
  return METHODS.flatMap((method) => forms(method).flatMap((form) => ids.map((id) => ({ method, pathOf, id, form }))));
}

function listsOf(paths, mark) {
  const lists = Object.keys(paths).filter((path) => path.startsWith('/api/') && !path.includes('{'));
  const searches = ['agendamentos&nome=', 'agendamentos&servico-nome=', 'atendentes&atendente-nome=', 'atendenteservico&servico-nome='];
  return [
    ...lists.flatMap((path) => [path, `${path}/`, `${path}?page=1&results_per_page=1000`]),
    ...COLLECTIONS.flatMap(({ api }) => [`/scheduling?api=${api}`, `/scheduling?api=${api}&page=1`]),
    ...searches.map((search) => `/scheduling?api=${search}${mark}`),
  ];
}

function sameness(before, after) {
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  return [isSame ? '0' : 'some', '0', isSame];
}
