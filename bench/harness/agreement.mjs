import { NAME_FILTER } from './fill.mjs';
import { form, FORM_TYPE } from './load.mjs';

const SHOWN = 80; // characters on each side of a difference

/** Requests that every server must answer identically, byte for byte, before its speed means anything. */
function questions({ small, medium, large, changing }) {
  return [
    { kind: 'list', account: small, path: '/api/domains/' },
    { kind: 'list', account: small, path: '/api/domains/?results_per_page=10&page=2' },
    { kind: 'list', account: medium, path: '/api/domains/?results_per_page=1000' },
    { kind: 'notifications', account: small, path: '/api/notifications/' },
    { kind: 'notifications', account: medium, path: '/api/notifications/?results_per_page=1000&page=2' },
    { kind: 'read', account: small, path: `/api/domains/${small.first + 1}` },
    { kind: 'update', account: changing, path: `/api/domains/${changing.first}`, body: form({ custom_index_url: 'https://example.com/' }) },
    { kind: 'scheduling', account: medium, path: `/scheduling?api=agendamentos&nome=${NAME_FILTER}` },
    { kind: 'scheduling', account: large, path: '/scheduling?api=agendamentos&nome=99999' },
    { kind: 'order', account: large, path: '/scheduling?api=agendamentos&orderby=nome&page=1000' },
    { kind: 'filter', account: large, path: '/api/domains/?page=1&host=99999' },
  ];
}

/** @throws Error with the servers, the request and the first difference */
export async function checkAgreement(servers, accounts) {
  for (const question of questions(accounts)) {
    const [first, ...others] = servers.filter(({ does }) => does.includes(question.kind));
    if (!first) continue;
    const expected = await ask(first.address, question);
    for (const other of others) {
      const answer = await ask(other.address, question);
      if (answer !== expected) throw new Error(difference(question.path, first.name, expected, other.name, answer));
    }
  }
}

async function ask(address, { account, path, body }) {
  const headers = { Authorization: `Bearer ${account.key}`, ...(body && { 'Content-Type': FORM_TYPE }) };
  const response = await fetch(address + path, { method: body ? 'POST' : 'GET', headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${address}${path} answers ${response.status}: ${text.slice(0, 500)}`);
  return text;
}

function difference(path, name, text, otherName, otherText) {
  let place = 0;
  while (place < text.length && text[place] === otherText[place]) place++;
  const near = (whole) => `…${whole.slice(Math.max(place - SHOWN, 0), place + SHOWN)}…`;
  return `Not the same answer to ${path}:\n${name}: ${near(text)}\n${otherName}: ${near(otherText)}`;
}
