import { crc32 } from 'node:zlib';
import { DOMAINS } from '../harness/client.mjs';
import { RawConnection, requestBytes } from '../harness/raw-connection.mjs';
import { integer, noise, pick, randomOf, SEED } from '../harness/random.mjs';
import { must, none, tested } from '../harness/table.mjs';

export const name = 'mutated-keys';
const CONNECTIONS = 16;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Sends almost valid keys. None may be accepted, and a wrong checksum must be rejected without a query. */
export async function run(context) {
  const count = context.either(100_000, 10_000);
  const mariadb = await context.mariadb();
  const stage = await context.stage('mariadb');
  const { key } = await stage.account('visitors');
  const { port } = await stage.start();
  const keys = mutants(key, count);
  const byChance = keys.filter(hasRightChecksum).length;

  const statuses = new Map();
  const asked = await keyQueries(mariadb, async () => {
    const rest = keys.values();
    await Promise.all(Array.from({ length: CONNECTIONS }, () => send(port, rest, statuses)));
  });
  const accepted = [...statuses].reduce((sum, [status, times]) => (status >= 400 && status < 500 ? sum : sum + times), 0);
  context.logProgress(`${name}: ${JSON.stringify(Object.fromEntries(statuses))}, ${byChance} with the right checksum by chance`);
  return [
    tested('keys refused', (statuses.get(401) ?? 0) + (statuses.get(400) ?? 0)),
    none('keys accepted, or other responses', accepted),
    must('queries for a key', String(asked), `at most ${byChance}`, asked <= byChance),
  ];
}

async function send(port, keys, statuses) {
  const connection = new RawConnection(port);
  for (const key of keys) {
    const { status } = await connection.exchange(requestBytes('GET', DOMAINS, { Authorization: `Bearer ${key}` }));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  connection.close();
}

/** Counts the statements of all clients on the keys' table; background work uses other tables. */
async function keyQueries(mariadb, work) {
  await mariadb.query("SET GLOBAL log_output = 'TABLE', GLOBAL general_log = ON");
  await mariadb.query('SELECT 1 FROM api_keys LIMIT 1'); // shows that the log is kept
  await work();
  await mariadb.query('SET GLOBAL general_log = OFF');
  const [{ logged }] = await mariadb.query(
    "SELECT COUNT(*) AS logged FROM mysql.general_log WHERE command_type IN ('Query', 'Prepare') AND argument LIKE '%api_keys%'",
  );
  if (Number(logged) === 0) throw new Error('The server logged no statements.');
  return Number(logged) - 1;
}

const MUTATIONS = [
  (key, random) => replaced(key, integer(random, 0, key.length - 1), pick(random, BASE62)),
  (key, random) => replaced(key, integer(random, 3, key.length - 1), noise(random, 1, 0x21, 0xff)),
  (key, random) => swapped(key, integer(random, 0, key.length - 2)),
  (key, random) => key.slice(0, integer(random, 1, key.length - 1)),
  (key, random) => key + pick(random, BASE62),
  (key, random) => key.slice(0, -6) + Array.from({ length: 6 }, () => pick(random, BASE62)).join(''),
  (key, random) => `fd_${Array.from({ length: 38 }, () => pick(random, BASE62)).join('')}`,
  (key, random) => replaced(key, integer(random, 3, key.length - 1), pick(random, ['-', '_', '.', '%', "'", '"', ',', ';', '\t', ' '])),
  (key) => key.toUpperCase(),
  (key, random) => `${key}${pick(random, [',', ' x', ';', '==', '%00', '/'])}`,
  (key) => [...key].reverse().join(''),
  (key, random) => noise(random, integer(random, 1, 60), 0x21, 0x7e),
];

/** Skips keys that differ only in trailing white space: it is not part of a header value, so they are valid. */
function mutants(key, count) {
  const random = randomOf(SEED);
  const keys = [];
  while (keys.length < count) {
    const mutant = pick(random, MUTATIONS)(key, random);
    if (mutant.trim() !== key) keys.push(mutant);
  }
  return keys;
}

function replaced(text, at, character) {
  return text.slice(0, at) + character + text.slice(at + 1);
}

function swapped(text, at) {
  return text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2);
}

/** One key in 2^32 has, by chance; the service then queries the database, which has no such key. */
function hasRightChecksum(key) {
  const trimmed = key.trim();
  if (!/^fd_[0-9A-Za-z]{38}$/.test(trimmed)) return false;
  let rest = crc32(trimmed.slice(0, -6));
  let digits = '';
  for (let place = 0; place < 6; place++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return trimmed.endsWith(digits);
}
