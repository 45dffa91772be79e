import { setTimeout as sleep } from 'node:timers/promises';
import { CheckRecorder } from '../harness/check-recorder.mjs';
import { must, none, tested } from '../harness/table.mjs';
import { Verifications } from '../harness/verifications.mjs';
import { Visitors } from '../harness/visitors.mjs';
import { secondsUntilAnswering, until } from '../harness/waiting.mjs';

export const name = 'verifications';
const PROCESSES = 2;
const VISITORS = 4;
const PAUSE_MILLISECONDS = 20;
/** Share of the domains due at first; the others are due once the database is back. */
const SHARE_DUE_FIRST = 0.6;
/** Time between two kills, including the start. */
const LIFE_SECONDS = 2;
/** Time for a lease of 30 s, then a check, and another check of domains whose DNS didn't answer in time. */
const PATIENCE_MILLISECONDS = 180_000;
const FINAL_CHECKS = 3;

/** Two processes check domains. One is killed repeatedly, and in between the database is killed and frozen. */
export async function run(context) {
  const [first, second, seconds] = [context.either(8, 2), context.either(4, 1), context.either(5, 2)];
  const stage = await context.freshStage('mariadb');
  const recorder = await CheckRecorder.start(PROCESSES);
  const verifications = new Verifications(stage);
  const accounts = await Promise.all(['first', 'second'].map((account) => stage.account(account)));
  const desk = await stage.start();
  await verifications.create(desk.port, accounts, context.either(800, 240), recorder.answers);
  await desk.end();
  await verifications.makeDue(0, SHARE_DUE_FIRST, LIFE_SECONDS * (first + 1) + 2 * seconds);
  const looking = { DOMAIN_CHECKS: 'on' };
  const services = await Promise.all(recorder.addresses.map((address) => stage.start({ ...looking, DNS_SERVERS: address })));
  const [{ key }] = accounts;
  const visitors = new Visitors(services[1].port, key, VISITORS, PAUSE_MILLISECONDS);

  await killRepeatedly(services[0], recorder, first);
  const outages = await cutDatabase(context, seconds, services, key);
  const back = performance.now();
  await verifications.makeDue(SHARE_DUE_FIRST, 1, LIFE_SECONDS * second);
  await killRepeatedly(services[0], recorder, second);
  const begun = performance.now();
  const isOver = async () => {
    if (context.isShort) await verifications.endOldLeases(); // instead of waiting
    return verifications.areSettled();
  };
  const tellFault = ({ message }) => {
    context.logProgress(`${name}: ${message}`);
    return false;
  };
  await until(() => isOver().catch(tellFault), 'The last check', PATIENCE_MILLISECONDS).catch(tellFault); // the figures show it
  const countWorking = () => services.filter((_, process) => recorder.countSince(process, back) > 0).length;
  // While one process restarts, the other may have checked all domains.
  for (let time = 0; time < FINAL_CHECKS && countWorking() < PROCESSES; time++)
    await verifications.checkAgain(PATIENCE_MILLISECONDS).catch(tellFault);
  context.logProgress(`${name}: finished ${Math.round((performance.now() - begun) / 1_000)} s after the last kill`);

  await visitors.end();
  for (const service of services) await service.end('SIGTERM');
  recorder.end();
  const failed = visitors.failed(outages);
  if (failed.length > 0) context.logProgress(`${name}: ${[...new Set(failed)].join(', ')}`);
  const working = countWorking();
  return [
    tested(`checks, ${first + second} kills, database outages: ${outages.length}`, recorder.checks.length),
    tested('checks cut off by a kill', recorder.cutOff),
    must('processes that check after the outages', String(working), String(PROCESSES), working === PROCESSES),
    must('most concurrent checks of a domain', String(recorder.mostAtOnce()), '1', recorder.mostAtOnce() === 1),
    ...(await verifications.compare()),
    tested('requests answered beside', visitors.answered),
    none('requests failed outside of outages', failed.length),
  ];
}

async function killRepeatedly(service, recorder, times) {
  for (let time = 0; time < times; time++) {
    await sleep(500 + Math.random() * 500);
    await service.end('SIGKILL');
    recorder.noteKill(0);
    await service.start();
  }
}

/** Kills the database, then freezes it; returns both outages, which last until both services answered again. */
async function cutDatabase(context, seconds, services, key) {
  const mariadb = await context.mariadb();
  const during = async (begin, end) => {
    await sleep(1_000);
    const from = performance.now();
    await begin();
    await sleep(seconds * 1_000).finally(end);
    for (const { port } of services) await secondsUntilAnswering(port, key);
    return { from, to: performance.now() };
  };
  const killed = await during(
    () => mariadb.kill(),
    () => mariadb.start(),
  );
  if (context.isShort) return [killed];
  const frozen = await during(
    () => mariadb.freeze(),
    () => mariadb.thaw(),
  );
  return [killed, frozen];
}
