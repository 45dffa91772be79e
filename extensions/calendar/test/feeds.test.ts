import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, Salon } from './support';

interface Feed {
  id: number;
  name: string;
}

const UNKNOWN = `/calendars/${'A'.repeat(43)}.ics`;

test('a feed is created, listed, read and deleted, and its URL is shown once', async () => {
  await using salon = await Salon.open();
  const form = { name: 'Salon', timezone: 'America/Sao_Paulo', atendente_id: 1, duration: 45, language: 'pt-BR', hide_names: 1 };
  const key = { 'Idempotency-Key': 'one' };
  const created = await salon.request<{ id: number; url: string }>('POST', '/api/calendar-feeds', form, key);
  assert.equal(created.status, 201);
  assert.match(created.data.url, /\/calendars\/[A-Za-z0-9_-]{43}\.ics$/);
  assert.match(created.headers.get('location')!, /\/api\/calendar-feeds\/\d+$/);
  const repeated = await salon.request<{ id: number; url: null }>('POST', '/api/calendar-feeds', form, key);
  assert.deepEqual(repeated.data, { id: created.data.id, url: null });

  const path = `/api/calendar-feeds/${created.data.id}`;
  const read = await salon.request<Feed>('GET', path);
  assert.deepEqual(
    { ...read.data, datetime: undefined },
    {
      id: created.data.id,
      name: 'Salon',
      atendente_id: 1,
      servico_id: null,
      duration: 45,
      timezone: 'America/Sao_Paulo',
      language: 'pt-BR',
      hide_names: true,
      last_datetime: null,
      datetime: undefined,
    },
  );
  assert.equal((await salon.request('GET', path, undefined, { 'If-None-Match': read.headers.get('etag')! })).status, 304);
  assert.deepEqual((await salon.request<Feed[]>('GET', '/api/calendar-feeds?name=sal&language=pt-BR')).data.length, 1);
  assert.deepEqual((await salon.request<Feed[]>('GET', '/api/calendar-feeds?name=other')).data, []);
  const token = new URL(created.data.url).pathname;
  assert.equal((await salon.calendar(token)).status, 200);
  assert.equal((await salon.request('DELETE', path, undefined, { 'If-Match': '"other"' })).status, 412);
  assert.equal((await salon.request('DELETE', path)).status, 200);
  assert.equal((await salon.calendar(token)).status, 404);
  const { data: events } = await salon.request<{ type: string }[]>('GET', '/api/events?types=calendar_feed.*');
  assert.deepEqual(
    events.map(({ type }) => type),
    ['calendar_feed.created', 'calendar_feed.deleted'],
  );
});

test('invalid forms return 400 and list accepted values', async () => {
  await using salon = await Salon.open();
  const refused = async (form: Record<string, unknown>, expected: RegExp) => {
    const { status, text } = await salon.request('POST', '/api/calendar-feeds', form);
    assert.equal(status, 400);
    assert.match(text, expected);
  };
  const valid = { name: 'Salon', timezone: 'Europe/Berlin' };
  await refused({ name: 'Salon' }, /timezone is required/);
  await refused({ ...valid, timezone: 'Mars/Base' }, /timezone must be the IANA name of a time zone, such as America\/Sao_Paulo/);
  await refused({ ...valid, timezone: '+03:00' }, /timezone must be/);
  await refused({ ...valid, duration: 0 }, /duration must be minutes, from 1 to 1440/);
  await refused({ ...valid, language: 'fr' }, /language must be one of en, pt-BR/);
  await refused({ ...valid, atendente_id: 99 }, /There is no record of atendentes with this id/);
  await refused({ ...valid, servico_id: 99 }, /There is no record of servicos with this id/);
});

test('each route requires its scopes', async () => {
  await using salon = await Salon.open();
  const { key } = await salon.sandbox.account({ scopes: ['calendar:read'] });
  const bearer = { Authorization: `Bearer ${key}` };
  assert.equal((await salon.request('GET', '/api/calendar-feeds', undefined, bearer)).status, 200);
  const refused = await salon.request('POST', '/api/calendar-feeds', { name: 'A', timezone: 'UTC' }, bearer);
  assert.deepEqual([refused.status, /calendar:write/.test(refused.text)], [403, true]);
  const { key: writing } = await salon.sandbox.account({ scopes: ['calendar:write'] });
  const shown = await salon.request('POST', '/api/calendar-feeds', { name: 'A', timezone: 'UTC' }, { Authorization: `Bearer ${writing}` });
  assert.deepEqual([shown.status, /scheduling:read/.test(shown.text)], [403, true]);
  const due = await salon.request('GET', '/api/due-appointments', undefined, bearer);
  assert.deepEqual([due.status, /scheduling:read/.test(due.text)], [403, true]);
});

test('invalid calendar URLs return 404', async () => {
  await using salon = await Salon.open();
  for (const path of [UNKNOWN, '/calendars/short.ics', `/calendars/${'A'.repeat(43)}`, '/calendars/.ics', '/calendars/%00.ics'])
    assert.equal((await salon.calendar(path)).status, 404, path);
});

test('an unchanged calendar returns 304 until an appointment or the date changes', async () => {
  await using salon = await Salon.open();
  await salon.book({ data_hora: at(salon.now() + 3_600_000) });
  const { path } = await salon.createFeed();
  const { headers, text } = await salon.calendar(path);
  assert.match(text, /SUMMARY:Corte\\, barba 😀: João da Silva/);
  assert.equal(headers.get('content-type'), 'text/calendar; charset=utf-8');
  assert.deepEqual([headers.get('referrer-policy'), headers.get('x-robots-tag')], ['no-referrer', 'noindex']);
  const known = { 'If-None-Match': headers.get('etag')!, 'Cache-Control': 'no-cache' };
  assert.equal((await salon.calendar(path, known)).status, 304);
  for (const header of ['*', `W/${known['If-None-Match']}`, `"other", ${known['If-None-Match']}`])
    assert.equal((await salon.calendar(path, { 'If-None-Match': header })).status, 304, header);
  assert.equal((await salon.calendar(path, { 'If-None-Match': `"other${known['If-None-Match']}` })).status, 200);
  await salon.query("UPDATE agendamentos SET nome = 'Maria'");
  await salon.sandbox.advance('1m');
  assert.match((await salon.calendar(path, known)).text, /SUMMARY:Corte\\, barba 😀: Maria/);
  const { headers: newer } = await salon.calendar(path);
  await salon.sandbox.advance(`${24 - new Date(salon.now()).getUTCHours()}h`);
  assert.equal((await salon.calendar(path, { 'If-None-Match': newer.get('etag')! })).status, 200);
});

test('a calendar shows only appointments of its attendant or service, and changes only when they do', async () => {
  await using salon = await Salon.open();
  const data_hora = at(salon.now() + 3_600_000);
  await salon.book({ data_hora, nome: 'Of the first', atendente: 1, servico: 1 });
  await salon.book({ data_hora, nome: 'Of the second', atendente: 2, servico: 2 });
  const [first, second] = [await salon.createFeed({ atendente_id: 1 }), await salon.createFeed({ servico_id: 2 })];
  const before = await salon.calendar(first.path);
  assert.match(before.text, /Of the first/);
  assert.doesNotMatch(before.text, /Of the second/);
  assert.match((await salon.calendar(second.path)).text, /Of the second/);
  await salon.query("UPDATE agendamentos SET telefone = '1' WHERE atendentes_id = 2");
  await salon.sandbox.advance('1m');
  assert.equal((await salon.calendar(first.path, { 'If-None-Match': before.headers.get('etag')! })).status, 304);
});

test('a calendar may be read thirty times a minute', async () => {
  await using salon = await Salon.open();
  const [feed, other] = [await salon.createFeed(), await salon.createFeed()];
  const answers = [];
  for (let count = 0; count < 31; count++) answers.push(await salon.calendar(feed.path));
  assert.deepEqual([answers[29].status, answers[30].status], [200, 429]);
  assert.match(answers[30].headers.get('retry-after')!, /^\d+$/);
  assert.equal((await salon.calendar(other.path)).status, 200);
});

test('calendars of a disabled account return 404', async () => {
  await using salon = await Salon.open();
  const { path } = await salon.createFeed();
  await salon.query("UPDATE accounts SET disabled_datetime = '2026-01-01 00:00:00'");
  assert.equal((await salon.calendar(path)).status, 404);
});

test('concurrent first reads return the complete calendar', async () => {
  await using salon = await Salon.open();
  const data_hora = at(salon.now() + 3_600_000);
  for (let count = 0; count < 520; count++) await salon.book({ data_hora, nome: `n${count}`, atendente: count < 510 ? 2 : 1 });
  const { path } = await salon.createFeed({ atendente_id: 1 });
  const answers = await Promise.all(Array.from({ length: 4 }, () => salon.calendar(path)));
  for (const { text } of answers) assert.equal(text.match(/BEGIN:VEVENT/g)?.length, 10);
});

test('an invalid stored time omits only its own appointment', async () => {
  await using salon = await Salon.open();
  const data_hora = at(salon.now() + 3_600_000);
  await salon.book({ data_hora, nome: 'Good \u0007' });
  await salon.book({ data_hora: `${data_hora.slice(0, 10)} 99:99:99`, nome: 'Bad' });
  const { path } = await salon.createFeed();
  const { text } = await salon.calendar(path);
  assert.match(text, /: Good \r\n/);
  assert.doesNotMatch(text, /Bad/);
  assert.match(text, /END:VCALENDAR\r\n$/);
});

test('a day after the last calendar is deleted, no appointments are left', async () => {
  await using salon = await Salon.open();
  await salon.book({ data_hora: at(salon.now() + 3_600_000) });
  const { id, path } = await salon.createFeed();
  await salon.calendar(path);
  await salon.request('DELETE', `/api/calendar-feeds/${id}`);
  await salon.sandbox.advance('25h');
  assert.deepEqual(await salon.query('SELECT id FROM calendar_appointments'), []);
});
