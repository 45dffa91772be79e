import { readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { hasEnded, start } from '../../bench/harness/processes.mjs';
import { blockOf, withWords } from '../guide.mjs';

const SETTINGS = '`/etc/haproxy/haproxy.cfg`';
const BINARY = '/usr/sbin/haproxy';

/** A service machine's HAProxy, with the guide's settings. Two of them agree on the writer through the ports in `peers`. */
export async function startProxy(name, folder, { port, peers, nodes }) {
  const settings = withWords(blockOf('docs/operate/haproxy.md', SETTINGS), {
    ...(userInfo().uid === 0 ? {} : { '    user haproxy\n    group haproxy\n': '' }),
    '10.0.0.21:10000': `127.0.0.1:${peers[0]}`,
    '10.0.0.22:10000': `127.0.0.1:${peers[1]}`,
    'bind 127.0.0.1:3306': `bind 127.0.0.1:${port}`,
    '10.0.0.11:3306': `127.0.0.1:${nodes[0].port}`,
    '10.0.0.12:3306': `127.0.0.1:${nodes[1].port}`,
    '10.0.0.13:3306': `127.0.0.1:${nodes[2].port}`,
  });
  const file = join(folder, `${name}.cfg`);
  const log = join(folder, `${name}.log`);
  writeFileSync(file, settings);
  const child = start(BINARY, ['-db', '-L', name, '-f', file], { log });
  const proxy = { name, port, url: `mysql://frontdesk:secret@127.0.0.1:${port}/frontdesk`, log };
  for (let tries = 0; tries < 100 && !hasEnded(child); tries++) {
    if (await writerOf(proxy).catch(() => undefined)) return proxy;
    await sleep(100);
  }
  throw new Error(`${name} has no HAProxy that leads to a node:\n${readFileSync(log, 'utf8')}`);
}

/** Name of the node that a new connection gets. */
export async function writerOf({ port }) {
  const connection = await createConnection({ host: '127.0.0.1', port, user: 'frontdesk', password: 'secret', connectTimeout: 1_000 });
  try {
    return (await connection.query('SELECT @@wsrep_node_name AS name'))[0][0].name;
  } finally {
    connection.destroy();
  }
}
