import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BENCH, ROOT } from './paths.mjs';

/** In microseconds; entries that take less in every column are omitted. */
const MIN_MICROSECONDS = 0.3;

/** Environment variables of a server that can be profiled. */
export function profiled(folder, name) {
  return { BENCH_PROFILE: join(folder, `${name}.cpuprofile`), NODE_OPTIONS: `--require ${join(BENCH, 'harness/profiler.cjs')}` };
}

/** Profiles a server during `work`. Returns microseconds of its main thread by file, without idle time. */
export async function profileWhile({ pid, profile }, work) {
  rmSync(profile, { force: true });
  process.kill(pid, 'SIGUSR2');
  const result = await work();
  process.kill(pid, 'SIGUSR2');
  return { ...result, files: timeByFile(await read(profile)) };
}

/** @throws Error if the server hasn't written its profile after half a minute */
async function read(file) {
  for (let tries = 0; tries < 300; tries++) {
    try {
      if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error; // still being written
    }
    await sleep(100);
  }
  throw new Error(`No profile was written to ${file}.`);
}

function timeByFile({ nodes, samples, timeDeltas }) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map();
  samples.forEach((id, index) => {
    const file = fileOf(frames.get(id));
    if (file) times.set(file, (times.get(file) ?? 0) + timeDeltas[index]);
  });
  return Object.fromEntries(times);
}

function fileOf({ functionName, url }) {
  if (url === '') return functionName === '(idle)' ? undefined : functionName.startsWith('(') ? functionName : 'native';
  const path = url.replace(/^file:\/\//, '');
  const inPackage = path.lastIndexOf('/node_modules/');
  if (inPackage >= 0) return path.slice(inPackage + 1);
  return path.startsWith(ROOT) ? path.slice(ROOT.length + 1).replace(/^dist\/src\/(.*)\.js$/, 'src/$1.ts') : path;
}

/** The layer of a file: a room of the service, a package, or Node's. */
function layerOf(file) {
  if (file.startsWith('node_modules/')) return packageOf(file);
  if (file.startsWith('node:')) return 'Node';
  const [, first, second] = /^src\/([^/]+)\/(?:([^/]+)\/)?/.exec(file) ?? [];
  if (!first) return file;
  return first === 'platform' ? `src/platform/${second}` : `src/${first}`;
}

function packageOf(file) {
  const [, scope, name] = file.split('/');
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}

/** Microseconds per request in the last round by layer, largest first, with a column per workload and server; then the files of `src`. */
export function profilePages(all, works) {
  const figures = all.filter(({ round }) => round === all.at(-1).round);
  const columns = figures.map(({ work, server }) => `${works.find(({ name }) => name === work).name}, ${server}`);
  const byFile = figures.map(({ files, answered }) => new Map(Object.entries(files).map(([file, time]) => [file, time / answered])));
  const byLayer = byFile.map((files) => sumBy(files, layerOf));
  const own = byFile.map((files) => new Map([...files].filter(([file]) => file.startsWith('src/'))));
  const total = byFile.map((files) => new Map([['all', [...files.values()].reduce((sum, time) => sum + time, 0)]]));
  return [
    '## Microseconds a request, by layer',
    [...table('layer', columns, byLayer), ...lines(columns, total)].join('\n'),
    '## By file of the service',
    table('file', columns, own).join('\n'),
  ].join('\n\n');
}

function sumBy(times, keyOf) {
  const sums = new Map();
  for (const [file, time] of times) sums.set(keyOf(file), (sums.get(keyOf(file)) ?? 0) + time);
  return sums;
}

function table(title, columns, times) {
  const header = [title, ...columns];
  return [`| ${header.join(' | ')} |`, `|${header.map(() => '---').join('|')}|`, ...lines(columns, times)];
}

function lines(columns, times) {
  const most = (name) => Math.max(...times.map((each) => each.get(name) ?? 0));
  const names = [...new Set(times.flatMap((each) => [...each.keys()]))].filter((name) => most(name) >= MIN_MICROSECONDS);
  const cell = (time) => (time === undefined ? '–' : time.toFixed(1));
  return names.sort((a, b) => most(b) - most(a)).map((name) => `| ${[name, ...times.map((each) => cell(each.get(name)))].join(' | ')} |`);
}
