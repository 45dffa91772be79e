import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, DOMAINS, HANDLERS, readAll } from '../harness/client.mjs';
import { buildCommit, lastChangeOf } from '../harness/release.mjs';
import { must, none, tested } from '../harness/table.mjs';

export const name = 'upgrade';
/** A released migration is never edited, so the old version is the last commit that changed the first one. */
const FIRST_MIGRATION = 'src/platform/database/migrations/initial-schema.ts';
const NAMES = ['Ágata', 'zebra', 'Árvore', 'beta', 'Émile', 'eco', 'Órfão', 'ouro', 'Ünal', 'uva'];
const SERVICOS = '/scheduling?api=servicos';

/**
 * The old version serves while the schema is migrated and the new one starts; both write; the old one ends. All lists must then match the
 * acknowledged writes, in all orders and filters. After a downgrade, the old version must find every field.
 */
export async function run(context) {
  const commit = lastChangeOf(FIRST_MIGRATION);
  if (commit === '') {
    context.logProgress(`${name}: skipped, the clone lacks the commit of ${FIRST_MIGRATION} (git fetch --unshallow).`);
    return [];
  }
  const old = await buildCommit(commit, join(context.folder, 'old'));
  const rows = [];
  for (const database of ['mariadb', 'sqlite']) rows.push(...(await upgrade(context, database, old)));
  return rows;
}

async function upgrade(context, database, old) {
  const stage = await context.freshStage(database, old);
  const { key } = await stage.account('acme');
  const count = context.either(1_000, 20);
  const ledger = new Ledger();

  const before = await stage.start({}, undefined, old);
  const oldClient = new Client(before.port, key);
  await write(oldClient, 'a', count, ledger);
  await importServicos(stage, 'first', count, old);

  await stage.frontdesk('migrate');
  await importServicos(stage, 'second', count, old);
  const after = await stage.start({ MIGRATIONS: 'manual' });
  const newClient = new Client(after.port, key);
  await Promise.all([write(oldClient, 'b', count, ledger), write(newClient, 'c', count, ledger)]);
  await rewrite(oldClient, ledger);
  const exitCode = await before.end('SIGTERM');

  const differences = [...(await ledger.differences(newClient)), ...(await listDifferences(newClient, ledger, 2 * count))];
  await after.end('SIGTERM');

  const back = await stage.start({ MIGRATIONS: 'manual' }, undefined, old);
  const afterwards = await ledger.differences(new Client(back.port, key));
  await back.end('SIGTERM');
  for (const line of [...differences, ...afterwards].slice(0, 10)) context.logProgress(`${name}, ${database}: ${line}`);
  return [
    tested(`records written by both versions, ${database}`, ledger.size),
    none(`fields, orders and filters that differ after it, ${database}`, differences.length),
    none(`fields that differ back on it, ${database}`, afterwards.length),
    must(`the old version's exit code, ${database}`, String(exitCode), '0', exitCode === 0),
  ];
}

/** Records as the last response to their writes showed them. */
class Ledger {
  #records = new Map([
    [DOMAINS, new Map()],
    [HANDLERS, new Map()],
  ]);

  get size() {
    return this.of(DOMAINS).length + this.of(HANDLERS).length;
  }

  of(path) {
    return [...this.#records.get(path).values()];
  }

  note(path, record) {
    this.#records.get(path).set(record.id, record);
  }

  forget(path, id) {
    this.#records.get(path).delete(id);
  }

  /** Lists that differ from these records. */
  async differences(client) {
    const differences = [];
    for (const path of [DOMAINS, HANDLERS]) {
      const found = new Map((await readAll(client, path)).map((record) => [record.id, record]));
      for (const record of this.of(path)) {
        const is = found.get(record.id);
        if (JSON.stringify(is) !== JSON.stringify(record)) differences.push(`${path}/${record.id} is ${JSON.stringify(is)}`);
        found.delete(record.id);
      }
      for (const id of found.keys()) differences.push(`${path}/${id} should be gone`);
    }
    return differences;
  }
}

/** Creates, updates and deletes records; nine of ten stay. */
async function write(client, prefix, count, ledger) {
  for (let number = 0; number < count; number++) {
    const domain = await send(client, 'POST', DOMAINS, domainOf(`${prefix}${number}`));
    const handler = await send(client, 'POST', HANDLERS, handlerOf(`${NAMES[number % NAMES.length]} ${prefix}${number}`));
    for (const [path, record] of [
      [DOMAINS, domain],
      [HANDLERS, handler],
    ]) {
      ledger.note(path, record);
      if (number % 10 !== 9) continue;
      await send(client, 'DELETE', `${path}/${record.id}`);
      ledger.forget(path, record.id);
    }
  }
}

/** Renames all records, including those that the other version created. */
async function rewrite(client, ledger) {
  for (const { id } of ledger.of(HANDLERS).filter((_, index) => index % 3 === 0))
    ledger.note(HANDLERS, await send(client, 'POST', `${HANDLERS}/${id}`, { name: `Çelik ${id}` }));
  for (const { id } of ledger.of(DOMAINS).filter((_, index) => index % 3 === 0))
    ledger.note(DOMAINS, await send(client, 'POST', `${DOMAINS}/${id}`, { host: `renamed-${id}.example.com` }));
}

const domainOf = (label) => ({ host: `${label}.example.com` });
const handlerOf = (label) => ({ type: 'webhook', name: label, webhook: 'https://hooks.example.com/in' });

/** @throws Error unless it succeeds */
async function send(client, method, path, form) {
  const { status, text, failure } = await client.send(method, path, { form });
  if (!(status < 300)) throw new Error(`${method} ${path} responded with ${status ?? failure}: ${text}`);
  return method === 'DELETE' ? undefined : readRecord(client, path, JSON.parse(text).data.id);
}

async function readRecord(client, path, id) {
  const collection = path.startsWith(DOMAINS) ? DOMAINS : HANDLERS;
  const { text } = await client.send('GET', `${collection}/${id}`);
  return JSON.parse(text).data;
}

async function importServicos(stage, prefix, count, dist) {
  const file = join(stage.folder, `${prefix}.csv`);
  const lines = Array.from({ length: count }, (_, number) => `${NAMES[number % NAMES.length]} ${prefix} ${number}`);
  writeFileSync(file, `servico_nome\n${lines.join('\n')}\n`);
  await stage.frontdeskOf(dist, 'import', 'servicos', file, '--account', 'acme');
}

/** Compares what depends on derived columns: orders, filters and totals. */
async function listDifferences(client, ledger, servicos) {
  const differences = [];
  const handlers = ledger.of(HANDLERS);
  const folded = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  for (const sort of ['asc', 'desc']) {
    const names = (await readList(client, `${HANDLERS}?orderby=name&sort=${sort}`)).map(({ name: each }) => folded(each));
    const expected = handlers.map(({ name: each }) => folded(each)).sort();
    if (sort === 'desc') expected.reverse();
    if (names.join() !== expected.join()) differences.push(`${HANDLERS} is not in the order of names, ${sort}`);
  }
  for (const word of ['agata', 'CELIK', 'unal', 'eco']) {
    const expected = handlers.filter(({ name: each }) => folded(each).includes(word.toLowerCase())).length;
    const { length } = await readList(client, `${HANDLERS}?name=${word}`);
    if (length !== expected) differences.push(`${HANDLERS}?name=${word} has ${length} records, not ${expected}`);
  }
  const { text } = await client.send('GET', SERVICOS);
  const { length } = JSON.parse(text).data;
  if (length !== servicos) differences.push(`${SERVICOS} has ${length} records, not ${servicos}`);
  return differences;
}

async function readList(client, path) {
  const records = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { text } = await client.send('GET', `${path}&page=${page}&results_per_page=100`);
    const { data, meta } = JSON.parse(text);
    records.push(...data);
    pages = meta.total_pages;
    if (page === pages && meta.total !== records.length)
      throw new Error(`${path} has ${records.length} records, and a total of ${meta.total}.`);
  }
  return records;
}
