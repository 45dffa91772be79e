import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Config, createApplication } from 'frontdesk';
import { DataSource } from 'typeorm';
import { at } from './support';

const KILLS = 20;
const APPOINTMENTS = 3_000;
/** One process on a SQLite file, several on a server. */
const PROCESSES = process.env.DATABASE_URL ? 4 : 1;
const CLI = join(dirname(require.resolve('frontdesk/package.json')), 'dist', 'src', 'cli.js');

type CommandLine = (...args: string[]) => Promise<string>;

interface DueEvent {
  agendamento_id: number;
  minutes: number;
}

test(`${KILLS} kills of ${PROCESSES} processes neither lose nor repeat a reminder, and deleting the account deletes all`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'calendar-'));
  const env = {
    DATABASE_URL: process.env.DATABASE_URL ?? `sqlite:${folder}/test.sqlite`,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    EXTENSIONS: './dist',
    DEMO: 'off',
    LOG_LEVEL: 'silent',
    PORT: '0',
  };
  const account = `salon ${randomUUID()}`;
  const frontdesk = commandLine(env);
  const key = await prepare(folder, frontdesk, account);
  const app = await createApplication(new Config(env), []);
  const dataSource = app.get(DataSource);
  const url = await app.listen(0, '127.0.0.1').then(() => app.getUrl());
  const request = async <T>(path: string, form?: Record<string, unknown>): Promise<T> => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    return (await fetch(url + path, { method: form ? 'POST' : 'GET', headers, body: form && JSON.stringify(form) })).json() as Promise<T>;
  };
  const feed = await request<{ data: { id: number } }>('/api/calendar-feeds', { name: 'Salon', timezone: 'UTC' });
  const reminder = { calendar_feed_id: feed.data.id, before: '1d' };
  const { data } = await request<{ data: { id: number } }>('/api/appointment-reminders', reminder);
  const countDue = async () => {
    const sql = 'SELECT COUNT(*) AS count FROM calendar_due_appointments WHERE appointment_reminder_id = ?';
    return Number((await dataSource.query<{ count: number }[]>(sql, [data.id]))[0].count);
  };
  let running: ChildProcess[] = [];
  try {
    for (let kill = 1; kill <= KILLS + 1; kill++) {
      // The killed process would hold the job for two minutes.
      await dataSource.query("UPDATE scheduled_jobs SET due = 0 WHERE name = 'appointment-reminders'");
      running = Array.from({ length: PROCESSES }, () =>
        spawn(process.execPath, [CLI, 'start'], { env: { ...process.env, ...env }, stdio: 'ignore' }),
      );
      const goal = kill > KILLS ? APPOINTMENTS : Math.min(APPOINTMENTS, (await countDue()) + 1);
      while ((await countDue()) < goal) await sleep(5);
      for (const child of running) {
        const ended = once(child, 'exit');
        if (child.kill('SIGKILL')) await ended;
      }
    }
    const events: DueEvent[] = [];
    for (let after = 'oldest', hasMore = true; hasMore;) {
      const page = await request<{ data: { data: DueEvent }[]; meta: { next: string; has_more: boolean } }>(
        `/api/events?types=calendar.appointment_due&limit=1000&after=${after}`,
      );
      events.push(...page.data.map(({ data }) => data));
      ({ next: after, has_more: hasMore } = page.meta);
    }
    const different = new Set(events.map(({ agendamento_id, minutes }) => `${agendamento_id} ${minutes}`));
    assert.deepEqual({ events: events.length, different: different.size }, { events: APPOINTMENTS, different: APPOINTMENTS });
    await frontdesk('accounts', 'delete', account, '--with-records');
    assert.equal(await countDue(), 0);
    assert.deepEqual(await dataSource.query('SELECT id FROM calendar_feeds WHERE id = ?', [feed.data.id]), []);
  } finally {
    for (const child of running) child.kill('SIGKILL');
    await app.close();
    rmSync(folder, { recursive: true });
  }
});

function commandLine(env: Record<string, string>): CommandLine {
  return async (...args) =>
    (await promisify(execFile)(process.execPath, [CLI, ...args], { env: { ...process.env, ...env } })).stdout.trim();
}

/** Creates an account with imported appointments of the coming day. Returns a key. */
async function prepare(folder: string, frontdesk: CommandLine, account: string): Promise<string> {
  const load = async (collection: string, lines: string[]) => {
    const file = join(folder, `${collection}.csv`);
    writeFileSync(file, lines.join('\n'));
    await frontdesk('import', collection, file, '--account', account);
    const exported = await frontdesk('export', collection, '--account', account, '--format', 'json');
    return (JSON.parse(exported) as Record<string, number>[])[0];
  };
  await frontdesk('accounts', 'create', account);
  const { servicos_id } = await load('servicos', ['servico_nome', 'Corte']);
  const { atendentes_id } = await load('atendentes', ['atendente_nome,atendente_cargo,atendente_diponivel', 'Ana,Barber,true']);
  const rows = Array.from({ length: APPOINTMENTS }, (_, i) => {
    return `João,1,${at(Date.now() + 12 * 3_600_000 + i * 10_000)},${servicos_id},${atendentes_id}`;
  });
  await load('agendamentos', ['nome,telefone,data_hora,servicos_id,atendentes_id', ...rows]);
  return frontdesk('keys', 'create', '--account', account, '--name', 'test');
}
