import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, Salon } from './support';

const HOUR = 3_600_000;

async function open(reminder: Record<string, unknown> = {}, feed: Record<string, unknown> = {}) {
  const salon = await Salon.open();
  const { id } = await salon.createFeed({ timezone: 'UTC', ...feed });
  const { status } = await salon.request('POST', '/api/appointment-reminders', { calendar_feed_id: id, before: '24h;1h', ...reminder });
  assert.equal(status, 201);
  return salon;
}

test('a reminder announces an appointment once per lead time', async () => {
  await using salon = await open({ before: '3h;1h' });
  await salon.book({ id: 7, data_hora: at(salon.now() + 4 * HOUR) });
  await salon.sandbox.advance('30m');
  assert.deepEqual(await salon.announced(), []);
  await salon.sandbox.advance('1h');
  assert.deepEqual(await salon.announced(), [{ agendamento_id: 7, minutes: 180 }]);
  await salon.sandbox.advance('3h');
  assert.deepEqual(await salon.announced(), [
    { agendamento_id: 7, minutes: 180 },
    { agendamento_id: 7, minutes: 60 },
  ]);
});

test('a moved appointment is announced again, a late one at once, a past one never', async () => {
  await using salon = await open({ before: '2h' });
  await salon.book({ id: 1, data_hora: at(salon.now() + 3 * HOUR) });
  await salon.sandbox.advance('90m');
  assert.deepEqual(await salon.announced(), [{ agendamento_id: 1, minutes: 120 }]);
  await salon.query('UPDATE agendamentos SET data_hora = ?', [at(salon.now() + 10 * HOUR)]);
  await salon.sandbox.advance('1h');
  assert.equal((await salon.announced()).length, 1);
  await salon.sandbox.advance('8h');
  assert.equal((await salon.announced()).length, 2);
  await salon.book({ id: 2, data_hora: at(salon.now() + HOUR) });
  await salon.book({ id: 3, data_hora: at(salon.now() - HOUR) });
  await salon.sandbox.advance('1m');
  assert.deepEqual((await salon.announced()).slice(2), [{ agendamento_id: 2, minutes: 120 }]);
});

test('a reminder announces only its attendant and service', async () => {
  await using salon = await open({ before: '1h', servico_id: 2 }, { atendente_id: 2 });
  const data_hora = at(salon.now() + HOUR / 2);
  for (const [id, atendente, servico] of [
    [1, 1, 1],
    [2, 2, 1],
    [3, 1, 2],
    [4, 2, 2],
  ])
    await salon.book({ id, data_hora, atendente, servico });
  await salon.sandbox.advance('1m');
  assert.deepEqual(await salon.announced(), [{ agendamento_id: 4, minutes: 60 }]);
});

test('subscribed handlers get a sentence in the calendar’s language, and webhooks the appointment', async () => {
  await using salon = await open({ before: '1h' }, { language: 'pt-BR', timezone: 'America/Sao_Paulo' });
  const handler = async (form: Record<string, unknown>) => {
    const { data } = await salon.request<{ id: number }>('POST', '/api/notification-handlers', { name: 'Front desk', ...form });
    await salon.request('POST', `/api/notification-handlers/${data.id}/events`, { types: 'calendar.appointment_due' });
  };
  await handler({ type: 'slack', slack: 'https://hooks.slack.com/services/T/B/x' });
  await handler({ type: 'webhook', webhook: 'https://example.com/hook' });
  const start = Math.floor(salon.now() / 1_000) * 1_000 + HOUR / 2;
  await salon.book({ id: 7, data_hora: at(start - 3 * HOUR) });
  await salon.sandbox.advance('2m');
  await salon.sandbox.settle();
  const [slack] = salon.sandbox.sent({ type: 'slack' });
  assert.match(slack.readable.title, /^Agendamento em \d\d minutos$/);
  assert.match(slack.readable.text, /^João da Silva, Corte, barba 😀 com Ana: /);
  const [webhook] = salon.sandbox.sent({ type: 'webhook' });
  const { data } = JSON.parse(webhook.request!.body) as { data: { type: string; data: object; current: Record<string, unknown> } };
  assert.equal(data.type, 'calendar.appointment_due');
  assert.deepEqual([data.current.agendamento_id, Date.parse(String(data.current.starts)), data.current.nome], [7, start, 'João da Silva']);
});

test('reminders of a calendar with hide_names contain no names', async () => {
  await using salon = await open({ before: '1h' }, { hide_names: 1 });
  await salon.book({ id: 7, data_hora: at(salon.now() + HOUR / 2) });
  await salon.sandbox.advance('1m');
  const { data } = await salon.request<{ id: number; nome: null; telefone: null }[]>('GET', '/api/due-appointments');
  assert.deepEqual([data[0].nome, data[0].telefone], [null, null]);
  const { status } = await salon.request('GET', `/api/due-appointments/${data[0].id}`);
  assert.equal(status, 200);
});

test('a reminder is listed, read and deleted, also with its calendar', async () => {
  await using salon = await open({ before: '90m' });
  const { data } = await salon.request<{ id: number; before: string; calendar_feed_id: number }[]>('GET', '/api/appointment-reminders');
  assert.equal(data[0].before, '90m');
  const path = `/api/appointment-reminders/${data[0].id}`;
  assert.equal((await salon.request<{ before: string }>('GET', path)).data.before, '90m');
  assert.equal((await salon.request('DELETE', path)).status, 200);
  assert.equal((await salon.request('GET', path)).status, 404);
  const again = { calendar_feed_id: data[0].calendar_feed_id, before: '1d' };
  const { data: other } = await salon.request<{ id: number }>('POST', '/api/appointment-reminders', again);
  assert.equal((await salon.request('DELETE', `/api/calendar-feeds/${data[0].calendar_feed_id}`)).status, 200);
  assert.equal((await salon.request('GET', `/api/appointment-reminders/${other.id}`)).status, 404);
});

test('invalid times return 400', async () => {
  await using salon = await open();
  for (const before of ['', '0m', '4m', '07m', '31d', '1h;60m', '1h;', '1m;2m;3m;4m;5m;6m', '1.5h', '1w']) {
    const { status, text } = await salon.request('POST', '/api/appointment-reminders', { calendar_feed_id: 1, before });
    assert.equal(status, 400, before);
    assert.match(text, /before (must be up to 5 different times|is required)/);
  }
  const unknown = await salon.request('POST', '/api/appointment-reminders', { calendar_feed_id: 99, before: '1h' });
  assert.deepEqual([unknown.status, /There is no calendar feed with this id/.test(unknown.text)], [400, true]);
});

test('of several due times the shortest is announced, with the time left in the message', async () => {
  await using salon = await open({ before: '1h;2d;1d' });
  await salon.book({ id: 7, data_hora: at(salon.now() + HOUR / 3) });
  await salon.book({ id: 8, data_hora: at(salon.now() + 5 * HOUR) });
  const handler = { type: 'slack', name: 'Front desk', slack: 'https://hooks.slack.com/services/T/B/x' };
  const { data } = await salon.request<{ id: number }>('POST', '/api/notification-handlers', handler);
  await salon.request('POST', `/api/notification-handlers/${data.id}/events`, { types: 'calendar.*' });
  await salon.sandbox.advance('1m');
  await salon.sandbox.advance('1m'); // Slack gets one message per second
  assert.deepEqual(
    (await salon.announced()).sort((a, b) => a.agendamento_id - b.agendamento_id),
    [
      { agendamento_id: 7, minutes: 60 },
      { agendamento_id: 8, minutes: 1_440 },
    ],
  );
  const titles = salon.sandbox.sent({ type: 'slack' }).map(({ readable }) => readable.title);
  assert.deepEqual(titles.sort(), ['Appointment in 19 minutes', 'Appointment in 299 minutes']);
});
