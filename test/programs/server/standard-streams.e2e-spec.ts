/** @mysql never */
import { execFileSync, spawnSync, type SpawnSyncOptionsWithStringEncoding, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, readSync, truncateSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { CLI_SCRIPT } from '../../support/jest/build';
import { createDatabase, type TestDatabase } from '../../support/servers/database';
import { freePort } from '../../support/servers/free-port.cjs';
import { sendRaw } from '../../support/http/raw-request';
import { ServerProcess } from '../../support/servers/server-process';
import { longTest } from '../../support/jest/size';
import { useTemporaryFolder } from '../../support/jest/temporary-folder';

const { O_RDONLY, O_RDWR, O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;
/** More lines than the pipe and the buffer hold. */
const MANY = 6_000;
const LONG_ID = 'x'.repeat(110);
const MEBIBYTE = 1024 * 1024;

const folder = useTemporaryFolder();
let database: TestDatabase;
let pipes = 0;

beforeEach(async () => {
  database = await createDatabase();
});

afterEach(() => database.drop());

interface Started {
  server: ServerProcess;
  port: number;
  edgePort: number;
  metricsPort: number;
}

/** Starts a server with an edge whose standard streams the test controls. */
async function withStreams(stdio: StdioOptions, work: (started: Started) => Promise<void>): Promise<void> {
  const [port, edgePort, metricsPort] = [await freePort(), await freePort(), await freePort()];
  const ports = { PORT: String(port), EDGE_PORT: String(edgePort), METRICS_PORT: String(metricsPort) };
  const server = new ServerProcess({ ...database.env, ...ports, DEMO: 'off' }, undefined, stdio);
  try {
    await untilServing(server, edgePort);
    await work({ server, port, edgePort, metricsPort });
  } finally {
    server.signal('SIGKILL');
    await server.end();
  }
}

/** The edge listens last. */
async function untilServing(server: ServerProcess, edgePort: number): Promise<void> {
  const ended = server.end().then(({ code, errors }) => {
    throw new Error(`The server ended with code ${code}.\n${errors}`);
  });
  ended.catch(() => undefined);
  while ((await Promise.race([statusOf(edgePort), ended])) === undefined) await pause(50);
}

/** Undefined while nothing listens. */
function statusOf(port: number, path = '/'): Promise<number | undefined> {
  return sendRaw(port, { method: 'GET', path }).then(
    ({ status }) => status,
    () => undefined,
  );
}

/** Requests that log one line each, over one connection. */
async function sendMany(port: number, name: string): Promise<void> {
  const requests = Array.from(
    { length: MANY },
    (_, index) => `HEAD /nothing HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${name}-${index}-${LONG_ID}\r\n`,
  );
  const socket = connect(port, '127.0.0.1').resume();
  socket.end(`${requests.join('\r\n')}Connection: close\r\n\r\n`);
  await once(socket, 'close');
}

interface LogLine {
  request_id?: string;
  left_out?: number;
}

const parse = (log: string): LogLine[] =>
  log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LogLine);

/** The line with left_out is where lines are missing, and counts them. */
function expectOneGap(lines: LogLine[]): void {
  const numbers = lines.flatMap(({ request_id, left_out }) => (left_out ? ['gap'] : (/^many-(\d+)/.exec(request_id ?? '')?.[1] ?? [])));
  const gap = numbers.indexOf('gap');
  expect(numbers).toEqual([...Array.from({ length: gap }, (_, index) => String(index)), 'gap']);
  expect(lines.find(({ left_out }) => left_out)?.left_out).toBe(MANY - gap);
  expect(lines.at(-1)?.request_id).toBe('after');
}

const openPipe = (flags: number, name = `pipe-${pipes++}`) => {
  const path = folder.path(name);
  execFileSync('mkfifo', [path]);
  return { path, fd: openSync(path, flags) };
};

/** The writing end of a pipe whose reader is gone. */
function brokenPipe(): number {
  const { path, fd } = openPipe(O_RDONLY | O_NONBLOCK);
  const writer = openSync(path, O_WRONLY);
  closeSync(fd);
  return writer;
}

/** All that can be read now. */
function readAll(fd: number): string {
  const chunks: Buffer[] = [];
  try {
    for (;;) {
      const chunk = Buffer.alloc(65_536);
      chunks.push(chunk.subarray(0, readSync(fd, chunk)));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  }
  return Buffer.concat(chunks).toString();
}

async function readUntil(read: () => string, expected: string): Promise<string> {
  let text = '';
  while (!text.includes(expected)) {
    await pause(20);
    text += read();
  }
  return text;
}

async function droppedLines(metricsPort: number): Promise<number> {
  const { text } = await sendRaw(metricsPort, { method: 'GET', path: '/metrics' });
  return Number(/^frontdesk_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
}

longTest('a full disk drops only log lines, and counts them', async () => {
  const path = folder.path('service.log');
  const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT);
  truncateSync(path, 64 * MEBIBYTE); // longer than any other file of the server
  const limit = (pid: number, bytes: string) => execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
  await withStreams(['ignore', file, 'pipe'], async ({ server, port, metricsPort }) => {
    const before = readFileSync(path).length;
    limit(server.pid, String(before + 1_000)); // ends within a line
    await sendMany(port, 'many');
    expect(await statusOf(port, '/health/ready')).toBe(200);
    const dropped = await droppedLines(metricsPort);
    expect(dropped).toBeGreaterThan(0);
    limit(server.pid, 'unlimited');
    const written = () => readFileSync(path, 'utf8').slice(before);
    while (!written().includes('left_out')) await pause(20);
    await sendRaw(port, { method: 'GET', path: '/nothing', headers: { 'X-Request-Id': 'after' } });
    while (!written().includes('after')) await pause(20);
    expectOneGap(parse(written()));
    expect(await server.stop()).toMatchObject({ code: 0, errors: '' });
    expect(written()).toContain('Shut down.');
  });
  closeSync(file);
});

longTest('a server starts and stops when its log’s disk is full', async () => {
  const full = openSync('/dev/full', O_WRONLY);
  await withStreams(['ignore', full, full], async ({ server, port }) => {
    expect(await statusOf(port, '/health/ready')).toBe(200);
    expect((await server.stop()).code).toBe(0);
  });
  closeSync(full);
});

longTest('an unread pipe drops only log lines, counts them, and does not block shutdown', async () => {
  const { fd } = openPipe(O_RDWR | O_NONBLOCK);
  await withStreams(['ignore', fd, fd], async ({ server, port, edgePort, metricsPort }) => {
    readAll(fd);
    await sendMany(port, 'many');
    expect(await statusOf(port, '/health/live')).toBe(200);
    expect(await droppedLines(metricsPort)).toBeGreaterThan(0);
    const text = await readUntil(() => readAll(fd), '"left_out"');
    await sendRaw(port, { method: 'GET', path: '/nothing', headers: { 'X-Request-Id': 'after' } });
    expectOneGap(parse(text + (await readUntil(() => readAll(fd), '"after"'))));
    await sendMany(edgePort, 'edge');
    await sendMany(port, 'again');
    expect([await statusOf(port, '/health/live'), await statusOf(edgePort)]).toEqual([200, 404]);
    expect((await server.stop()).code).toBe(0);
  });
  closeSync(fd);
});

longTest('a broken pipe stops neither the server nor a restarted edge process', async () => {
  const [output, errors] = [brokenPipe(), brokenPipe()];
  await withStreams(['ignore', output, errors], async ({ server, port, edgePort }) => {
    for (let killed = 0; killed < 2; killed++) {
      const [edge] = server.workers();
      process.kill(edge, 'SIGKILL');
      while (server.workers().includes(edge) || server.workers().length === 0) await pause(50);
      while ((await statusOf(edgePort)) === undefined) await pause(50);
    }
    expect(await statusOf(port, '/health/ready')).toBe(200);
    expect((await server.stop()).code).toBe(0);
  });
  closeSync(output);
  closeSync(errors);
});

longTest('SIGHUP stops a server without workers as SIGTERM does', async () => {
  await withStreams('pipe', async ({ server }) => {
    server.signal('SIGHUP');
    const { code, output } = await server.end();
    expect([code, output]).toEqual([0, expect.stringContaining('Shut down.')]);
  });
});

longTest('a failed start prints the reason even if standard output is unread or broken', async () => {
  const [{ fd }, broken] = [openPipe(O_RDWR | O_NONBLOCK), brokenPipe()];
  for (const output of [fd, broken]) {
    const server = new ServerProcess({ ...database.env, PORT: 'none' }, undefined, ['ignore', output, 'pipe']);
    expect(await server.end()).toMatchObject({ code: 1, errors: expect.stringContaining("frontdesk can't start. PORT") as string });
  }
  closeSync(fd);
  closeSync(broken);
});

longTest('a command with a broken pipe exits silently with the status of SIGPIPE', () => {
  const broken = brokenPipe();
  const options: SpawnSyncOptionsWithStringEncoding = {
    env: database.env,
    encoding: 'utf8',
    stdio: ['ignore', broken, 'pipe'],
  };
  const { status, stderr } = spawnSync(process.execPath, [CLI_SCRIPT, 'accounts', 'create', 'one'], options);
  expect([status, stderr]).toEqual([141, '']);
  closeSync(broken);
});
