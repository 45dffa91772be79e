import { NAME_FILTER } from './fill.mjs';
import { form } from './load.mjs';

const MANY = 32; // connections
const FEW = 4; // connections, for requests that may take a tenth of a second or more

/**
 * The workloads of a round; those that write come last, because the large account is read before each round. {1-100} becomes a random
 * number, {new} an unused one. Several requests are mixed by weight.
 */
export function worksOf(accounts) {
  const { small, medium, changing } = accounts;
  const read = ({ first, last }) => get(`/api/domains/{${first}-${last}}`);
  const update = ({ first, last }) =>
    post(`/api/domains/{${first}-${last}}`, { custom_index_url: 'https://example.com/welcome/{1-99999}' });
  return [
    work('list-25', 'list', `list of 25, account of ${number(small.count)}`, 'small', MANY, [get('/api/domains/')]),
    work('list-1000', 'list', `list of 1,000, account of ${number(medium.count)}`, 'medium', MANY, [
      get(`/api/domains/?results_per_page=1000&page={1-${medium.count / 1000}}`),
    ]),
    work('notifications-25', 'notifications', `notifications, 25, account of ${number(small.count)}`, 'small', MANY, [
      get('/api/notifications/'),
    ]),
    work('notifications-1000', 'notifications', `notifications, 1,000, account of ${number(medium.count)}`, 'medium', MANY, [
      get(`/api/notifications/?results_per_page=1000&page={1-${medium.count / 1000}}`),
    ]),
    work('read', 'read', 'read by id', 'medium', MANY, [read(medium)]),
    work('scheduling', 'scheduling', 'scheduling list with a text filter', 'medium', FEW, [
      get(`/scheduling?api=agendamentos&nome=${NAME_FILTER}`),
    ]),
    ...['small', 'large'].flatMap((account) => orderWorks(account, accounts[account].agendamentos)),
    work('texts-none', 'scheduling', 'large scheduling list, a text that is nowhere', 'large', FEW, [
      get('/scheduling?api=agendamentos&nome=nobody'),
    ]),
    work('texts-few', 'scheduling', 'large scheduling list, a text in a few records', 'large', FEW, [
      get('/scheduling?api=agendamentos&nome=99999'),
    ]),
    ...['small', 'medium', 'large'].flatMap((account) => pageWorks(account, accounts[account].count)),
    work('hosts-none', 'filter', `domains, a text that is in no host, account of ${number(accounts.large.count)}`, 'large', FEW, [
      get('/api/domains/?host=nobody'),
    ]),
    work('hosts-few', 'filter', `domains, a text in a few hosts, account of ${number(accounts.large.count)}`, 'large', FEW, [
      get('/api/domains/?page=1&host=99999'),
    ]),
    ...workersWorks(accounts, read),
    { name: 'walk', kind: 'walk', title: `walk of the account of ${number(accounts.large.count)}`, account: 'large' },
    work('create', 'create', 'create', 'growing', MANY, [
      post('/api/domains', { host: '{new}.example.com', custom_index_url: 'https://example.com/welcome' }),
    ]),
    work('update', 'update', 'update', 'changing', MANY, [update(changing)]),
    work('mixed', 'mixed', 'mixed: 45 % read, 45 % list of 25, 10 % update', 'changing', MANY, [
      { ...read(changing), weight: 45 },
      { ...get('/api/domains/'), weight: 45 },
      { ...update(changing), weight: 10 },
    ]),
  ];
}

/** Compares one process with two: enough connections for both, and an account whose count each of them caches. */
function workersWorks({ small, medium, large }, read) {
  const title = (text) => `${text}, 4 connections`;
  return [
    work('workers-list-25', 'workers', title(`list of 25, account of ${number(small.count)}`), 'small', FEW, [get('/api/domains/')]),
    work('workers-read', 'workers', title('read by id'), 'medium', FEW, [read(medium)]),
    work('workers-large', 'workers', title(`list of 25, account of ${number(large.count)}`), 'large', FEW, [get('/api/domains/')]),
    work('workers-create', 'workers', title('create'), 'growing', FEW, [post('/api/domains', { host: '{new}.example.com' })]),
  ];
}

/** Orders of the appointments' pages. */
export const ORDERS = ['agendamento-id', 'nome', 'data-hora', 'atendente-nome'];
export const PLACES = ['first', 'middle', 'last'];

/** Pages of 25 appointments in every order; for the small account, in any. */
function orderWorks(account, count) {
  const last = Math.ceil(count / 25);
  const pages = { first: 1, middle: `{${Math.ceil(last / 4)}-${Math.floor((last * 3) / 4)}}`, last };
  return ORDERS.flatMap((order) => {
    const places = account === 'small' ? { any: `{1-${last}}` } : pages;
    return Object.entries(places).map(([place, page]) =>
      work(
        `order-${order}-${account}-${place}`,
        'order',
        `${place} page of 25 agendamentos by ${order}, account of ${number(count)}`,
        account,
        FEW,
        [get(`/scheduling?api=agendamentos&orderby=${order}&page=${page}`)],
      ),
    );
  });
}

/** Pages of 25. The middle ones are requested at random, not in sequence. */
function pageWorks(account, count) {
  const last = count / 25;
  const pages = { first: 1, middle: `{${last / 4 + 1}-${(last * 3) / 4}}`, last };
  return Object.entries(pages).map(([place, page]) =>
    work(`${account}-${place}`, 'list', `${place} page of 25, account of ${number(count)}`, account, FEW, [
      get(`/api/domains/?page=${page}`),
    ]),
  );
}

function work(name, kind, title, account, connections, requests) {
  return { name, kind, title, account, connections, requests };
}

function get(path) {
  return { weight: 1, method: 'GET', path, body: '' };
}

function post(path, fields) {
  return { weight: 1, method: 'POST', path, body: form(fields) };
}

export function number(value) {
  return value.toLocaleString('en-US');
}
