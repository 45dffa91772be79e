import { createServer } from 'node:http';
import { formFields } from './form.mjs';
import { audited, LISTS, listPage, readDomain, createDomain, updateDomain, listAgendamentos } from './records.mjs';

const { PORT, PUBLIC_URL, BENCH_KEYS, BENCH_AUDIT, DATABASE_URL } = process.env;
const accounts = new Map(Object.entries(JSON.parse(BENCH_KEYS)));
const { connect } = await import(DATABASE_URL.startsWith('sqlite:') ? './sqlite.mjs' : './mysql.mjs');
const database = connect(DATABASE_URL);

createServer((request, response) => {
  answer(request).then(
    ([status, body]) => send(response, status, body),
    (error) => {
      console.error(error);
      send(response, 500, { error: 'internal' });
    },
  );
}).listen(Number(PORT), '127.0.0.1');

async function answer(request) {
  const accountId = accounts.get(request.headers.authorization?.slice('Bearer '.length));
  if (!accountId) return [401, { error: 'unauthenticated' }];
  const [path, search] = request.url.split('?');
  const query = new URLSearchParams(search);

  if (path === '/scheduling') return [200, { data: await listAgendamentos(database, accountId, query.get('nome')) }];
  const list = path.endsWith('/') ? path.slice(0, -1) : path;
  if (request.method === 'GET' && list in LISTS) return [200, await page(list, accountId, query)];
  if (!path.startsWith('/api/domains/') && path !== '/api/domains') return [404, { error: 'not found' }];
  const id = Number(path.slice('/api/domains/'.length));
  if (request.method === 'POST') return write(request, accountId, id);
  return one(accountId, id);
}

async function write(request, accountId, id) {
  const fields = await formFields(request);
  const change = async (statements) => (await updateDomain(statements, accountId, id, fields)) && id;
  const create = (statements) => createDomain(statements, accountId, fields);
  const run = (action, work) => (BENCH_AUDIT ? audited(database, accountId, action, work) : work(database));
  if (id) return (await run('update', change)) ? [200, { data: { id } }] : [404, { error: 'not found' }];
  return [201, { data: { id: await run('create', create) } }];
}

async function one(accountId, id) {
  const domain = await readDomain(database, accountId, id);
  return domain ? [200, { data: domain }] : [404, { error: 'not found' }];
}

async function page(path, accountId, query) {
  const number = Number(query.get('page') ?? 1);
  const size = Number(query.get('results_per_page') ?? 25);
  const { total, records } = await listPage(database, LISTS[path], accountId, number, size);
  const pages = Math.ceil(total / size);
  const sizeAsked = query.has('results_per_page') ? `&results_per_page=${size}` : '';
  const link = (n) => `${PUBLIC_URL}${path}?&page=${n}${sizeAsked}`;
  return {
    data: records,
    meta: { page: number, results_per_page: size, total, total_pages: pages },
    links: {
      first: link(1),
      last: link(Math.max(pages, 1)),
      next: number < pages ? link(number + 1) : null,
      prev: number > 1 ? link(Math.min(number - 1, Math.max(pages, 1))) : null,
      self: link(number),
    },
  };
}

function send(response, status, body) {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) }).end(text);
}
