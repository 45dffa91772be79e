import { Client, HANDLERS } from './client.mjs';
import { MODES } from './channel-fakes.mjs';
import { MESSAGES, untilFinished } from './deliveries.mjs';

const DELIVERIES = '/api/deliveries';

/**
 * Delivers and tests through all handlers of an account while the fakes accept, refuse and drop connections. Returns the responses, those
 * that show attempts, and the signing secrets.
 */
export async function deliverInAllModes({ port, key, stage, fakes, handlers, webhook }) {
  const client = new Client(port, key);
  const secrets = [];
  for (const method of ['GET', 'POST', 'GET']) secrets.push(await readSecret(client, method, webhook));
  const answers = [];
  for (const mode of MODES) {
    fakes.mode = mode;
    await stage.query("DELETE FROM quota_counts WHERE name = 'test'");
    answers.push(await client.send('POST', MESSAGES, { form: { text: `mode ${mode}` } }));
    for (const id of handlers.slice(0, 10)) answers.push(await client.send('POST', `${HANDLERS}/${id}/test`));
    await untilFinished(stage);
  }
  client.close();
  return { answers, secrets };
}

/** The list and the records of all deliveries. */
export async function readDeliveries(port, key) {
  const client = new Client(port, key);
  const list = await client.send('GET', `${DELIVERIES}?results_per_page=1000`);
  const answers = [list, await client.send('GET', MESSAGES)];
  for (const { id } of JSON.parse(list.text).data) answers.push(await client.send('GET', `${DELIVERIES}/${id}`));
  client.close();
  return answers;
}

/** How many handler types have an attempt whose outcome matches. */
export function countTypes(answers, isOutcome) {
  const records = answers.filter(({ text }) => text.startsWith('{"data":{"id":')).map(({ text }) => JSON.parse(text).data);
  return new Set(records.filter(({ log = [] }) => log.some(({ outcome }) => isOutcome(outcome))).map(({ type }) => type)).size;
}

async function readSecret(client, method, id) {
  const { status, text } = await client.send(method, `${HANDLERS}/${id}/signing-secret`);
  if (status !== 200) throw new Error(`Reading a signing secret failed with ${status}: ${text}`);
  return JSON.parse(text).data.secret.slice('whsec_'.length);
}
