import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { canaryForms, countIn } from '../harness/canaries.mjs';
import { countTypes, deliverInAllModes, readDeliveries } from '../harness/canary-deliveries.mjs';
import { startChannelFakes } from '../harness/channel-fakes.mjs';
import { Client, DOMAINS, HANDLERS } from '../harness/client.mjs';
import { freePort } from '../../test/support/servers/free-port.cjs';
import { clearDeliveries, MESSAGES, untilFinished } from '../harness/deliveries.mjs';
import { must, none, tested } from '../harness/table.mjs';

export const name = 'canaries';

/** Stores, changes, refuses, uses and loses secrets of every handler type, then searches for them wherever they could leak. */
export async function run(context) {
  const { dataFolder } = await context.mariadb();
  return [
    ...(await runOn(await context.stage('mariadb'), () => filesIn(dataFolder))),
    ...(await runOn(await context.stage('sqlite'), ({ folder }) => filesBeside(join(folder, 'faults.sqlite')))),
  ];
}

async function runOn(stage, files) {
  const { name: account, key } = await stage.account('secretive');
  const restricted = JSON.parse(await stage.frontdesk(...blindKey(account))).key;
  const metricsPort = await freePort();
  const fakes = await startChannelFakes();
  await clearDeliveries(stage);
  const service = await stage.start({ LOG_LEVEL: 'trace', METRICS_PORT: String(metricsPort), DELIVERY_WAITS: '0', ...fakes.env });
  const forms = canaryForms(fakes);
  const needles = [...forms.flatMap(({ all }) => all), ...fakes.secrets, key.slice(3, -6), restricted.slice(3, -6)];
  const answers = await useAll(service.port, key, restricted, forms, { stage, fakes });
  const deliveries = answers.filter(({ isOfDelivery }) => isOfDelivery);
  needles.push(...answers.flatMap(({ secrets = [] }) => secrets));
  const errors = answers.filter(({ status }) => status >= 400);
  const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).then(
    (answer) => answer.text(),
    () => undefined,
  );
  const audit = await stage.frontdesk('audit', '--json').catch(() => undefined);
  await service.end('SIGTERM');
  fakes.end();

  const inFiles = files(stage).reduce((sum, path) => sum + countIn(readFileSync(path), needles), 0);
  const masked = answers.filter(({ isBlind }) => isBlind).map(({ text }) => text);
  return [
    tested(`canaries, ${stage.name}`, needles.length),
    tested(`error responses, ${stage.name}`, errors.length),
    tested(`internal errors among them, ${stage.name}`, errors.filter(({ status }) => status === 500).length),
    none(`canaries in error responses, ${stage.name}`, countIn(errors.map(({ text, head }) => text + head).join('\n'), needles)),
    none(
      `secrets shown to a key without secrets:read, ${stage.name}`,
      countIn(
        masked.join('\n'),
        forms.flatMap(({ secret }) => secret),
      ),
    ),
    none(`canaries in the log, ${stage.name}`, countIn(service.logs(), needles)),
    none(`canaries in the database's files, ${stage.name}`, inFiles),
    ...['delivered', 'not delivered'].map((what) => {
      const isOutcome = (outcome) => (outcome === 'delivered') === (what === 'delivered');
      return tested(`handler types with attempts ${what}, ${stage.name}`, countTypes(deliveries, isOutcome));
    }),
    none(
      `canaries in deliveries, attempts, tests and /docs, ${stage.name}`,
      countIn(deliveries.map(({ text, head }) => text + head).join('\n'), needles),
    ),
    absence(`canaries in the audit, ${stage.name}`, audit, needles),
    absence(`canaries in the metrics, ${stage.name}`, metrics, needles),
  ];
}

function blindKey(account) {
  const scopes = 'notification-handlers:read,notification-handlers:write';
  return ['keys', 'create', '--account', account, '--name', 'blind', '--scopes', scopes, '--json'];
}

/** All responses to requests that involve the secrets. */
async function useAll(port, key, restricted, forms, { stage, fakes }) {
  const client = new Client(port, key);
  const blind = new Client(port, restricted);
  const answers = [];
  const send = async (...request) => {
    const answer = await client.send(...request);
    answers.push(answer);
    return answer;
  };
  const ids = [];
  for (const { form } of forms) ids.push(JSON.parse((await send('POST', HANDLERS, { form })).text).data.id);
  for (const [index, { form }] of forms.entries()) {
    await send('POST', `${HANDLERS}/${ids[index]}`, { form });
    for (const wrong of wrongForms(form)) await send('POST', HANDLERS, { form: wrong });
    await send('GET', `${HANDLERS}/${ids[index]}`);
    answers.push({ ...(await blind.send('GET', `${HANDLERS}/${ids[index]}`)), isBlind: true });
  }
  answers.push({ ...(await blind.send('GET', HANDLERS)), isBlind: true });
  const webhook = ids[forms.findIndex(({ type }) => type === 'webhook')];
  const used = await deliverInAllModes({ port, key, stage, fakes, handlers: ids, webhook });
  answers.push({ secrets: used.secrets }, ...used.answers.map(ofDelivery));
  await send('GET', `${DOMAINS}?access_token=${key}`);
  await send('GET', `/nowhere/${key}`, { headers: { Authorization: `Bearer ${key}x` } });
  await stage.query('ALTER TABLE notification_handlers RENAME TO handlers_away');
  for (const { form } of forms) await send('POST', HANDLERS, { form });
  await stage.query('ALTER TABLE handlers_away RENAME TO notification_handlers');
  const ofAccount = "WHERE account_id IN (SELECT id FROM accounts WHERE name = 'secretive')";
  await stage.query(`UPDATE notification_handlers SET settings = 'deadbeef.AAAA' ${ofAccount}`);
  await send('GET', HANDLERS);
  await send('POST', MESSAGES, { form: { text: 'settings that can’t be read' } });
  await untilFinished(stage);
  const shown = [...(await readDeliveries(port, key)), await client.send('GET', '/docs'), await client.send('GET', '/openapi.json')];
  answers.push(...shown.map(ofDelivery));
  await clearDeliveries(stage); // the service does not start with settings it can't decrypt
  client.close();
  blind.close();
  return answers;
}

function ofDelivery(answer) {
  return { ...answer, isOfDelivery: true };
}

/** Forms with a secret in a wrong place: malformed, for another type, or in an unknown field. */
function wrongForms({ name: called, type, ...fields }) {
  return Object.entries(fields).flatMap(([field, value]) => [
    { name: called, type, [field]: `^${value} ` },
    { name: called, type: type === 'email' ? 'slack' : 'email', [field]: value },
    { name: called, type: value },
    { name: called, type, unknown: value },
  ]);
}

function absence(what, text, needles) {
  if (text === undefined) return must(what, 'there is none yet', '0', false);
  return must(what, String(countIn(text, needles)), '0', countIn(text, needles) === 0);
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Excludes the secrets' key, which is next to them. */
function filesBeside(file) {
  const names = readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file)) && !name.endsWith('.key'));
  return names.map((name) => join(dirname(file), name));
}
