import { blockOf, withWords } from '../guide.mjs';
import { Node } from './node.mjs';

const STATEMENTS = '`frontdesk.sql`';
const NAMES = ['node-1', 'node-2', 'node-3'];
const PORTS = ['mysql', 'group', 'increments', 'snapshot'];

/** Number of ports the nodes need. */
export const PORTS_IN_ALL = NAMES.length * PORTS.length;

/** Three nodes, not yet started. */
export function createNodes(folder, ports) {
  const portsOf = NAMES.map((_name, index) =>
    Object.fromEntries(PORTS.map((purpose, place) => [purpose, ports[index * PORTS.length + place]])),
  );
  const address = `gcomm://${portsOf.map(({ group }) => `127.0.0.1:${group}`).join(',')}`;
  return NAMES.map((name, index) => new Node(name, folder, portsOf[index], address));
}

/** The first node creates the cluster, the others join one by one; then creates the database and its users. */
export async function startCluster([first, ...others]) {
  await first.startFirst();
  const statements = withWords(blockOf('docs/operate/galera.md', STATEMENTS), { '10.0.0.%': '127.0.0.1' });
  for (const statement of statements.trim().split(/;\s*/).filter(Boolean)) await first.query(statement);
  for (const node of others) await node.start();
}
