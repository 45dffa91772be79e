// The service on a cluster whose nodes fail under load, with the settings from docs/operate/galera.md.
import { chmodSync, existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../../bench/harness/processes.mjs';
import { checkNodes } from './check.mjs';
import { Messages } from './messages.mjs';
import { createNodes, PORTS_IN_ALL, startCluster } from './cluster.mjs';
import { FAULTS, strikeAll } from './faults.mjs';
import { freePorts } from './ports.mjs';
import { startProxy } from './proxy.mjs';
import { report } from './report.mjs';
import { countErrors, prepareDatabase, startService } from './services.mjs';
import { Writers } from './writers.mjs';

const NEEDED = ['/usr/sbin/mariadbd', '/usr/lib/galera/libgalera_smm.so', '/usr/sbin/haproxy', '/usr/bin/rsync'];

const tell = (line) => process.stderr.write(`${line}\n`);

try {
  const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
  const lacking = NEEDED.filter((file) => !existsSync(file));
  if (lacking.length > 0) throw new Error(`There is no ${lacking.join(', ')}: apt-get install mariadb-server galera-4 haproxy rsync`);
  const { text, isMet } = await tryFaults(values.short ? FAULTS.slice(0, 1) : FAULTS);
  process.stdout.write(text);
  process.exit(isMet ? 0 : 1);
} catch (error) {
  tell(`The test has failed. ${error.stack}`);
  process.exit(1);
}

async function tryFaults(faults) {
  const folder = temporaryFolder('cluster');
  chmodSync(folder, 0o711); // the nodes don't run as root
  const [proxyPorts, peers, servicePorts, nodePorts] = inParts(await freePorts(6 + PORTS_IN_ALL), 2, 2, 2, PORTS_IN_ALL);
  const nodes = createNodes(folder, nodePorts);
  tell('three nodes start');
  await startCluster(nodes);
  const proxies = await Promise.all(
    ['service-1', 'service-2'].map((name, index) => startProxy(name, folder, { port: proxyPorts[index], peers, nodes })),
  );
  const key = await prepareDatabase(proxies[0], folder);
  const services = await Promise.all(proxies.map((proxy, index) => startService(proxy, folder, servicePorts[index])));

  tell('eight writers and six senders of messages begin');
  const from = performance.now();
  const messages = await Messages.send(servicePorts, key);
  const writers = new Writers(services, key);
  const times = await strikeAll(faults, nodes, proxies[0], tell);
  await writers.stop();
  const to = performance.now();
  const arrivals = await messages.finish(nodes[0]);
  return report({ times, writers, arrivals, check: await checkNodes(nodes, writers), errors: await countErrors(services), from, to });
}

function inParts(list, ...sizes) {
  const left = [...list];
  return sizes.map((size) => left.splice(0, size));
}
