import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, readAll } from '../harness/client.mjs';
import { createWebhooks, MESSAGES } from '../harness/deliveries.mjs';
import { Senders } from '../harness/senders.mjs';
import { must, none, tested } from '../harness/table.mjs';
import { until } from '../harness/waiting.mjs';

export const name = 'totals';
const PROCESSES = 2;
const SENDERS = 8;
const HANDLERS = 1_000;
/** More appointments than the service searches without a copy of the texts. */
const APPOINTMENTS = 20_400;
const CHANGED_APPOINTMENTS = 3_000;
const SEARCH_TEXT = 'zoe';
const DELIVERIES = '/api/deliveries';
/** Lists, and how much each message adds to their totals. */
const LISTS = [
  [`${DELIVERIES}?results_per_page=10`, HANDLERS],
  [`${DELIVERIES}?results_per_page=10&page=1000`, HANDLERS],
  [`${DELIVERIES}?results_per_page=10&sort=desc`, HANDLERS],
  [`${DELIVERIES}?results_per_page=10&status=pending`, HANDLERS],
  [`${MESSAGES}?results_per_page=10`, 1],
];
const FILTERED_PAGES = ['&page=1', '&page=300', '&orderby=telefone&page=1'];

/** Totals and filtered pages of two processes, while messages to 1,000 handlers are sent and imports change appointments' texts. */
export async function run(context) {
  const stage = await context.freshStage('mariadb');
  const account = await stage.account('senders');
  const services = [];
  for (let index = 0; index < PROCESSES; index++) services.push(await stage.start({ DELIVERY_CONCURRENCY: '0' }));
  const ports = services.map(({ port }) => port);
  await createHandlers(stage, account, ports[0]);
  const files = await importAppointments(stage, account);
  const clients = ports.map((port) => new Client(port, account.key));

  let isOver = false;
  let imported = 0;
  const senders = new Senders(ports, account.key, { count: SENDERS, handlers: Array(HANDLERS).fill('each'), pause: 0, isToAll: true });
  const tallies = LISTS.map(([path, each], index) => readTotals(ports[index % PROCESSES], path, each));
  const pages = FILTERED_PAGES.map((query, index) => readFiltered(ports[index % PROCESSES], query));
  const imports = importAll();
  await sleep(context.either(60_000, 5_000));
  await until(() => imported >= context.either(4, 2), 'The last import');
  await senders.end();
  isOver = true;
  const [reads, shown] = [sum(await Promise.all(tallies)), sum(await Promise.all(pages))];
  await imports;

  const messages = senders.acknowledged.size;
  const differing = [];
  for (const client of clients) {
    for (const [path, each] of LISTS) {
      const { total } = (await read(client, path)).meta;
      if (total !== messages * each) differing.push(`${path}: ${total} of ${messages * each}`);
    }
  }
  const listed = new Set((await readAll(clients[0], DELIVERIES)).map(({ id }) => id));
  for (const client of clients) client.close();
  context.logProgress(`${name}: ${messages} messages, ${imported} imports; at rest: ${differing.join('; ') || 'all equal'}`);
  return [
    tested('reads of totals beside eight senders', reads.all),
    none('totals below what was acknowledged before the request', reads.wrong),
    none('totals that differ at rest', differing.length),
    must('deliveries on all pages', String(listed.size), String(messages * HANDLERS), listed.size === messages * HANDLERS),
    tested('records shown by filtered pages', shown.all),
    none('records that don’t match their page’s filter', shown.wrong),
  ];

  async function readTotals(port, path, each) {
    return count(port, async (client) => {
      const least = senders.acknowledged.size * each;
      const { total } = (await read(client, path)).meta;
      return [1, total < least ? 1 : 0];
    });
  }

  async function readFiltered(port, query) {
    return count(port, async (client) => {
      const { data } = await read(client, `/scheduling?api=agendamentos&nome=${SEARCH_TEXT}${query}`);
      return [data.length, data.filter(({ nome }) => !nome.startsWith(SEARCH_TEXT)).length];
    });
  }

  /** Repeats until the senders have ended. */
  async function count(port, once) {
    const client = new Client(port, account.key);
    const tally = { all: 0, wrong: 0 };
    while (!isOver) {
      const [all, wrong] = await once(client);
      tally.all += all;
      tally.wrong += wrong;
    }
    client.close();
    return tally;
  }

  async function importAll() {
    for (; !isOver; imported++) await stage.frontdesk('import', 'agendamentos', files[imported % files.length], '--account', account.name);
  }
}

async function createHandlers(stage, account, port) {
  const [id] = await createWebhooks(port, account, ['https://receiver.example.com/']);
  const columns = 'account_id, name, name_folded, type, settings, is_enabled, datetime';
  await stage.query(
    `INSERT INTO notification_handlers (${columns}) SELECT ${columns} FROM notification_handlers JOIN seq_1_to_${HANDLERS - 1} WHERE id = ?`,
    [id],
  );
}

/** Imports appointments that all have the searched text; returns files that change some of them, and that change them back. */
async function importAppointments(stage, { name: owner }) {
  const write = (file, lines) => {
    writeFileSync(join(stage.folder, file), lines.join('\n'));
    return join(stage.folder, file);
  };
  await stage.frontdesk('import', 'servicos', write('servicos.csv', ['servicos_id,servico_nome', '1,corte']), '--account', owner);
  const attendants = ['atendentes_id,atendente_nome,atendente_cargo', '1,ana,chefe'];
  await stage.frontdesk('import', 'atendentes', write('atendentes.csv', attendants), '--account', owner);
  const appointments = (file, text, count) => {
    const lines = Array.from({ length: count }, (_, n) => `${n + 1},${text} ${n},${n % 100},2026-11-21 14:30:00,1,1`);
    return write(file, ['agendamento_id,nome,telefone,data_hora,servicos_id,atendentes_id', ...lines]);
  };
  await stage.frontdesk('import', 'agendamentos', appointments('all.csv', SEARCH_TEXT, APPOINTMENTS), '--account', owner);
  return [appointments('changed.csv', 'rui', CHANGED_APPOINTMENTS), appointments('back.csv', SEARCH_TEXT, CHANGED_APPOINTMENTS)];
}

/** Retries while the service is too busy. */
async function read(client, path) {
  for (;;) {
    const { status, text, failure } = await client.send('GET', path);
    if (status === 200) return JSON.parse(text);
    if (status !== 503) throw new Error(`${path} responded with ${status ?? failure}: ${text}`);
  }
}

function sum(tallies) {
  const total = (name) => tallies.reduce((all, tally) => all + tally[name], 0);
  return { all: total('all'), wrong: total('wrong') };
}
