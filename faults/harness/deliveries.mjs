import { Client, HANDLERS } from './client.mjs';
import { until } from './waiting.mjs';

export const MESSAGES = '/api/messages';
const TABLES = ['delivery_attempts', 'deliveries', 'delivery_lanes', 'messages', 'signing_secrets', 'notification_handlers'];

/** Deletes what other scenarios have left. */
export async function clearDeliveries(stage) {
  for (const table of TABLES) await stage.query(`DELETE FROM ${table}`);
}

/** Creates a webhook per URL, and returns their ids. */
export async function createWebhooks(port, { key }, urls) {
  const client = new Client(port, key);
  const ids = [];
  for (const [index, webhook] of urls.entries()) {
    const { status, text } = await client.send('POST', HANDLERS, { form: { name: `webhook ${index}`, type: 'webhook', webhook } });
    if (status !== 201) throw new Error(`Creating a webhook failed with ${status}: ${text}`);
    ids.push(JSON.parse(text).data.id);
  }
  client.close();
  return ids;
}

export async function countDeliveries(stage, condition) {
  const [{ number }] = await stage.query(`SELECT COUNT(*) AS number FROM deliveries WHERE ${condition}`);
  return Number(number);
}

/** Queries the few lanes, not the deliveries, to spare the service: a lane without a due time has nothing pending. */
export function untilFinished(stage, patience) {
  const isFinished = async () => (await stage.query('SELECT lane FROM delivery_lanes WHERE available IS NOT NULL LIMIT 1')).length === 0;
  return until(isFinished, 'The last delivery', patience);
}

/** Ends the leases of killed services, instead of waiting 30 s. */
export async function endLeases(stage) {
  await stage.query('UPDATE deliveries SET started = started - 30000 WHERE lease IS NOT NULL');
  await stage.query('UPDATE delivery_lanes SET available = 0 WHERE lane IN (SELECT lane FROM deliveries WHERE lease IS NOT NULL)');
}

/** Adds deliveries, evenly to these webhooks: finished ones, or pending ones that are due. `lastMs`: duration of the last attempt. */
export async function fillIn(stage, { id: account }, handlers, count, status = 'pending', lastMs = null) {
  await stage.query("INSERT INTO messages (account_id, title, text, url, datetime) VALUES (?, '', 'from the backlog', '', ?)", [
    account,
    TIME,
  ]);
  const [{ message }] = await stage.query('SELECT MAX(id) AS message FROM messages');
  const now = Date.now();
  const due = status === 'pending' ? now : null;
  for (const handler of handlers) {
    const lane = `webhook:${handler}`;
    await stage.query(`${INSERT_DELIVERIES} ${numbers(stage, Math.floor(count / handlers.length))}`, [
      ...[account, message, handler, lane, status, Number(due === null), Number(due === null), due, TIME],
    ]);
    if (due !== null) {
      await stage.query('DELETE FROM delivery_lanes WHERE lane = ?', [lane]);
      await stage.query(INSERT_LANE, [lane, account, now, lastMs]);
    }
  }
}

const TIME = '2026-11-01 09:30:00';
const INSERT_DELIVERIES = `INSERT INTO deliveries
    (account_id, message_id, handler_id, type, lane, status, attempts, tries, next_attempt, is_counted, part, datetime)
  SELECT ?, ?, ?, 'webhook', ?, ?, ?, ?, ?, 0, '', ?`;
const INSERT_LANE = `INSERT INTO delivery_lanes (lane, account_id, available, paused_until, is_slow, last_ms, last_claim)
  VALUES (?, ?, ?, 0, 0, ?, 0)`;

/** A table of `count` rows. */
function numbers({ name }, count) {
  if (name === 'mariadb') return `FROM seq_1_to_${count}`;
  const digits = '(SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4)';
  const joined = Array.from({ length: Math.ceil(Math.log(count) / Math.log(5)) || 1 }, (_, index) => `${digits} d${index}`);
  return `FROM ${joined.join(', ')} LIMIT ${count}`;
}
