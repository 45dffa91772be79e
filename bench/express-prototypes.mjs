// Bare Express with and without the change of docs/internals/express-prototypes.md, in alternating rounds. Needs a build.
// Usage: node bench/express-prototypes.mjs [rounds] [seconds]
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Agent, createServer, get } from 'node:http';
import express from 'express';
import { median } from './harness/statistics.mjs';

const CONNECTIONS = 32;

if (process.argv[2] === 'serve') await serve(process.argv[3] === 'after');
else await compare(Number(process.argv[2] ?? 5), Number(process.argv[3] ?? 3));

async function serve(isChanged) {
  const app = express().disable('etag').disable('x-powered-by');
  app.get('/', (_request, response) => void response.json({ status: 'ok' }));
  const server = createServer(isChanged ? loadExpressClasses()(app) : {}, app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send(server.address().port);
  process.once('disconnect', () => process.exit());
}

function loadExpressClasses() {
  return createRequire(import.meta.url)('../dist/src/platform/http/server/http-server.js').expressClasses;
}

async function compare(rounds, seconds) {
  loadExpressClasses(); // fails here, by name, without a build
  const rates = { before: [], after: [] };
  const load = hasWrk() ? loadByWrk : loadByNode;
  console.log(
    `Node ${process.version}, ${CONNECTIONS} connections, load from ${load === loadByWrk ? 'wrk' : 'node:http, which is the slower side'}`,
  );
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 ? ['after', 'before'] : ['before', 'after']) rates[name].push(await measure(name, load, seconds));
    console.log(`round ${round + 1}: ${Math.round(rates.before[round])} → ${Math.round(rates.after[round])} requests/s`);
  }
  const ratios = rates.after.map((rate, round) => rate / rates.before[round]);
  console.log(`median ratio: ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`);
}

/** A process per measurement, so that neither variant inherits what V8 has optimized for the other. */
async function measure(name, load, seconds) {
  const server = fork(import.meta.filename ?? new URL(import.meta.url).pathname, ['serve', name], {
    env: { ...process.env, NODE_ENV: 'production' },
  });
  try {
    const [port] = await once(server, 'message');
    await load(port, 1); // warm-up
    return await load(port, seconds);
  } finally {
    server.disconnect();
    await once(server, 'exit');
  }
}

function hasWrk() {
  try {
    execFileSync('sh', ['-c', 'command -v wrk'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function loadByWrk(port, seconds) {
  const report = execFileSync('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, `http://127.0.0.1:${port}/`], { encoding: 'utf8' });
  if (/Non-2xx|Socket errors/.test(report)) throw new Error(report);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(report)[1]);
}

async function loadByNode(port, seconds) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const end = Date.now() + seconds * 1_000;
  let count = 0;
  const send = () =>
    new Promise((resolve, reject) => {
      const answered = (response) => {
        if (response.statusCode !== 200) reject(new Error(`Answered ${response.statusCode}.`));
        response.resume().once('end', resolve);
      };
      get({ host: '127.0.0.1', port, agent }, answered).once('error', reject);
    });
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (; Date.now() < end; count++) await send();
    }),
  );
  agent.destroy();
  return count / seconds;
}
