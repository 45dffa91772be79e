import { setTimeout as sleep } from 'node:timers/promises';
import { RawConnection, requestBytes } from './raw-connection.mjs';

/** Requests live hosts, and asks for their certificates, until asked for its report: the number of responses, and unexpected ones. */
const { port, hosts } = JSON.parse(process.argv[2]);
const CONNECTIONS = 4;
let isOver = false;
let answered = 0;
const failed = {};

async function visit(index) {
  const connection = new RawConnection(port);
  for (let count = index; !isOver; count++) {
    const host = hosts[count % hosts.length];
    const isAsk = count % 2 === 0;
    const bytes = requestBytes('GET', isAsk ? `/.frontdesk/ask?domain=${host}` : '/', { Host: isAsk ? 'localhost' : host });
    const { status, failure } = await connection.exchange(bytes);
    if (status === (isAsk ? 200 : 302)) answered++;
    else failed[status ?? failure] = (failed[status ?? failure] ?? 0) + 1;
    await sleep(1);
  }
  connection.close();
}

const visitors = Array.from({ length: CONNECTIONS }, (_, index) => visit(index));
process.on('message', async () => {
  isOver = true;
  await Promise.all(visitors);
  process.send({ answered, failed }, () => process.exit(0));
});
