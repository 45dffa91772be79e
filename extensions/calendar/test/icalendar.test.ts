import assert from 'node:assert/strict';
import { test } from 'node:test';
import ICAL from 'ical.js';
import { sync as nodeIcal, type VEvent } from 'node-ical';
import { at, Salon } from './support';

interface Read {
  uid: string;
  summary: string;
  start: string;
  end: string;
  sequence: number;
  status: string;
}

/** The events of a calendar, with times in UTC, as two parsers read them alike. */
function parse(text: string): Read[] {
  const component = new ICAL.Component(ICAL.parse(text) as unknown[]);
  for (const zone of component.getAllSubcomponents('vtimezone')) ICAL.TimezoneService.register(zone);
  const ofIcal = component.getAllSubcomponents('vevent').map((vevent): Read => {
    const { uid, summary, startDate, endDate, sequence } = new ICAL.Event(vevent);
    const [start, end] = [startDate, endDate].map((time) => time.toJSDate().toISOString());
    return { uid, summary, start, end, sequence, status: String(vevent.getFirstPropertyValue('status')) };
  });
  const ofNode = Object.values(nodeIcal.parseICS(text)).filter((one): one is VEvent => one?.type === 'VEVENT');
  assert.deepEqual(
    ofNode.map(({ uid, summary, start, end, sequence, status }): Read => {
      const times = { start: start.toISOString(), end: end!.toISOString() };
      return { uid, summary: summary as string, ...times, sequence: Number(sequence), status: String(status) };
    }),
    ofIcal,
  );
  return ofIcal;
}

/** The next date with this month and day, at this time. */
function next(month: number, day: number, time: string): string {
  const year = new Date().getUTCFullYear() + (new Date() > new Date(Date.UTC(new Date().getUTCFullYear(), month - 1, day)) ? 1 : 0);
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')} ${time}`;
}

for (const [timezone, winter, summer] of [
  ['Europe/Berlin', '+01:00', '+02:00'],
  ['America/New_York', '-05:00', '-04:00'],
  ['Asia/Kolkata', '+05:30', '+05:30'],
  ['Australia/Lord_Howe', '+11:00', '+10:30'],
  ['America/Sao_Paulo', '-03:00', '-03:00'],
  ['UTC', 'Z', 'Z'],
])
  test(`appointments in ${timezone} have the right time in winter and summer`, async () => {
    await using salon = await Salon.open();
    const times = [next(1, 20, '14:30:00'), next(7, 20, '14:30:00'), next(1, 21, '23:45:00')];
    for (const data_hora of times) await salon.book({ data_hora });
    const { path } = await salon.createFeed({ timezone });
    const read = parse((await salon.calendar(path)).text);
    const expected = times.map((time) => {
      const start = new Date(`${time.replace(' ', 'T')}${time.slice(5, 7) === '07' ? summer : winter}`);
      return [start.toISOString(), new Date(start.getTime() + 1_800_000).toISOString()];
    });
    assert.deepEqual(read.map(({ start, end }) => [start, end]).sort(), expected.sort());
  });

test('special characters and emoji survive, and lines are folded at 75 octets', async () => {
  await using salon = await Salon.open();
  const nome = `João, "o; velho" \\x 👩🏽‍🦱${'ação '.repeat(20)}`.slice(0, 120).trim();
  await salon.book({ data_hora: at(salon.now() + 3_600_000), nome, telefone: '+55 (11), 9;8' });
  const { path } = await salon.createFeed({ name: 'Salão; "Ana", 1\\2', language: 'pt-BR' });
  const { text } = await salon.calendar(path);
  assert.deepEqual(
    parse(text).map(({ summary }) => summary),
    [`Corte, barba 😀: ${nome}`],
  );
  for (const line of text.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75, line);
  assert.equal(text.split('\n').length, text.split('\r\n').length);
  const component = new ICAL.Component(ICAL.parse(text) as unknown[]);
  assert.equal(component.getFirstPropertyValue('x-wr-calname'), 'Salão; "Ana", 1\\2');
  assert.equal(String(component.getFirstPropertyValue('refresh-interval')), 'PT1H');
});

test('a calendar with hide_names shows only the service', async () => {
  await using salon = await Salon.open();
  await salon.book({ data_hora: at(salon.now() + 3_600_000) });
  const { path } = await salon.createFeed({ hide_names: 1 });
  const { text } = await salon.calendar(path);
  assert.deepEqual(
    parse(text).map(({ summary }) => summary),
    ['Corte, barba 😀'],
  );
  assert.doesNotMatch(text, /João|98765/);
});

test('a change keeps the uid and raises the sequence, and a deletion is CANCELLED for 30 days', async () => {
  await using salon = await Salon.open();
  await salon.book({ id: 1, data_hora: at(salon.now() + 86_400_000) });
  const [all, ofFirst, ofSecond] = [
    await salon.createFeed(),
    await salon.createFeed({ atendente_id: 1 }),
    await salon.createFeed({ atendente_id: 2 }),
  ];
  const show = async ({ path }: { path: string }) =>
    parse((await salon.calendar(path)).text).map(({ uid, sequence, status }) => ({ uid, sequence, status }));
  const [{ uid }] = await show(all);
  assert.deepEqual(await show(all), [{ uid, sequence: 0, status: 'CONFIRMED' }]);
  await salon.query('UPDATE agendamentos SET data_hora = ?', [at(salon.now() + 2 * 86_400_000)]);
  await salon.sandbox.advance('1m');
  assert.deepEqual(await show(all), [{ uid, sequence: 1, status: 'CONFIRMED' }]);

  await salon.query('UPDATE agendamentos SET atendentes_id = 2');
  await salon.sandbox.advance('1m');
  assert.deepEqual(await show(all), [{ uid, sequence: 3, status: 'CONFIRMED' }]);
  assert.deepEqual(await show(ofFirst), [{ uid, sequence: 2, status: 'CANCELLED' }]);
  assert.deepEqual(await show(ofSecond), [{ uid, sequence: 3, status: 'CONFIRMED' }]);
  await salon.query('UPDATE agendamentos SET atendentes_id = 1');
  await salon.sandbox.advance('1m');
  assert.deepEqual(await show(all), [{ uid, sequence: 5, status: 'CONFIRMED' }]);

  await salon.query('DELETE FROM agendamentos');
  await salon.sandbox.advance('1m');
  assert.deepEqual(await show(all), [{ uid, sequence: 6, status: 'CANCELLED' }]);
  await salon.query('UPDATE calendar_appointments SET cancelled = ?', [at(salon.now() - 31 * 86_400_000)]);
  await salon.sandbox.advance('1m');
  assert.deepEqual(await show(all), []);
});

test('a calendar shows the next 10,000 appointments, from 90 days ago to 400 days ahead', async () => {
  await using salon = await Salon.open();
  const day = (days: number) => at(salon.now() + days * 86_400_000);
  for (const [days, nome] of [
    [-95, 'too old'],
    [405, 'too late'],
    [-80, 'past'],
  ] as const)
    await salon.book({ data_hora: day(days), nome });
  const [{ account_id }] = (await salon.query('SELECT MIN(account_id) AS account_id FROM servicos')) as { account_id: number }[];
  const names = 'account_id, nome, nome_folded, telefone, telefone_folded, data_hora, servicos_id, atendentes_id';
  for (let start = 0; start < 10_000; start += 500) {
    const rows = Array.from(
      { length: 500 },
      (_, i) => `(${account_id}, 'n${start + i}', '', '', '', '${at(salon.now() + (start + i + 60) * 60_000)}', 1, 1)`,
    );
    await salon.query(`INSERT INTO agendamentos (${names}) VALUES ${rows.join(', ')}`);
  }
  const { path } = await salon.createFeed();
  const { text } = await salon.calendar(path);
  assert.equal(text.match(/BEGIN:VEVENT/g)?.length, 10_000);
  assert.doesNotMatch(text, /too old|too late|past/);
});
