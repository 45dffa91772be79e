import { none, tested } from './table.mjs';

const FIND_EVENTS = `SELECT id, record, action, record_id, request_id FROM events
  WHERE account_id = ? AND number > 0 AND record IN ('domain', 'notification handler', 'message', 'delivery') AND action NOT IN ('', 'test', 'set_events')
  ORDER BY number, id`;

/**
 * Table rows: events that readers of the feed missed, or got twice or in a wrong order. An acknowledged write has a `type`, its record's
 * `id` and, if these don't identify it, the `requests` sent for it, of which the `last` was acknowledged.
 */
export async function compareFeeds({ stage, account, lists, acknowledged, where }) {
  const logged = await stage.query(FIND_EVENTS, [account.id]);
  const requests = new Map(logged.map(({ id, request_id }) => [Number(id), request_id]));
  const seen = lists.map((list) => list.map((event) => ({ ...event, request: requests.get(idOf(event)) })));
  const ids = logged.map(({ id }) => Number(id)).join();
  const counts = seen.map((events) => count(events, acknowledged));
  const sum = (field) => counts.reduce((total, each) => total + each[field], 0);
  return [
    tested(`acknowledged writes, ${where}`, acknowledged.length),
    tested(`of these, by the service or an operator, ${where}`, acknowledged.filter(({ requests }) => !requests).length),
    tested(`of these, in transactions held open, ${where}`, acknowledged.filter(({ isHeld }) => isHeld).length),
    none(`acknowledged writes missed by a reader, ${where}`, sum('missed')),
    none(`writes shown twice to a reader, ${where}`, sum('doubled')),
    none(
      `out of order within a record, ${where}`,
      seen.reduce((total, events) => total + countDisorder(events, acknowledged), 0),
    ),
    none(`readers that saw another sequence than the log's, ${where}`, lists.filter((list) => list.map(idOf).join() !== ids).length),
    none(`events without a number, ${where}`, (await stage.query('SELECT id FROM events WHERE number IS NULL')).length),
  ];
}

function count(events, acknowledged) {
  const [byRecord, byRequest] = [new Map(), new Map()];
  for (const { type, record, request } of events) {
    add(byRecord, keyOf(type, record.id));
    add(byRequest, `${keyOf(type, record.id)} ${request}`);
  }
  let missed = 0;
  let doubled = events.length - new Set(events.map(({ id }) => id)).size;
  for (const { type, id, requests, last } of acknowledged) {
    const key = keyOf(type, id);
    // An update that was retried, because its first response was lost, may have been made twice.
    const isOnce = !type.endsWith('.updated');
    const shown = !requests || isOnce ? (byRecord.get(key) ?? 0) : (byRequest.get(`${key} ${last}`) ?? 0);
    const isOwn = !requests || requests.some((request) => byRequest.has(`${key} ${request}`));
    if (shown === 0 || !isOwn) missed++;
    if (shown > 1) doubled++;
  }
  return { missed, doubled };
}

/** Counts events out of order: a record is created first, deleted last, and updated in the order of the acknowledgements. */
function countDisorder(events, acknowledged) {
  const places = new Map(acknowledged.map(({ last }, index) => [last, index]));
  const records = new Map();
  for (const event of events) {
    const key = keyOf(event.type.split('.')[0], event.record.id);
    records.set(key, [...(records.get(key) ?? []), event]);
  }
  const isWrong = (life) => {
    const types = life.map(({ type }) => type.split('.')[1]);
    const updates = life.flatMap(({ request }) => (request && places.has(request) ? [places.get(request)] : []));
    return (
      types.indexOf('created') > 0 ||
      (types.includes('deleted') && types.indexOf('deleted') < types.length - 1) ||
      updates.some((place, index) => index > 0 && place < updates[index - 1])
    );
  };
  return [...records.values()].filter(isWrong).length;
}

const idOf = ({ id }) => Number(id.slice(id.lastIndexOf('_') + 1));
const keyOf = (type, id) => `${type} ${id}`;
const add = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);
