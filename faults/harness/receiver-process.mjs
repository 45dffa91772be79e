import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/** Behaviours by the first segment of the path; the second is the argument, the others distinguish handlers. */
const BEHAVIOURS = {
  fast: (response) => response.end('ok'),
  /** Every tenth answer takes this many milliseconds. */
  mixed: (response, milliseconds) => void (arrivals.length % 10 ? response.end('ok') : setTimeout(() => response.end('ok'), milliseconds)),
  gone: (response) => response.writeHead(410).end(),
  slow: (response, milliseconds) => void setTimeout(() => response.end('ok'), milliseconds),
  hang: () => {},
  /** Interim responses without end. */
  interim: ({ socket }) => flood(socket),
};

const INTERIM = 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000);

let arrivals = [];
let open = 0;

const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
  const arrival = { id: request.headers['webhook-id'], path: request.url, arrived: Date.now(), answered: null };
  arrivals.push(arrival);
  open++;
  response.once('close', () => open--);
  response.once('finish', () => (arrival.answered = Date.now()));
  const body = await text(request).catch(() => undefined);
  if (body === undefined) return;
  arrival.text = JSON.parse(body).data.text;
  const [, behaviour, argument] = request.url.split('/');
  BEHAVIOURS[behaviour](response, Number(argument));
});

function flood(socket) {
  if (socket.writable) socket.write(INTERIM, () => setImmediate(flood, socket));
}

process.on('message', (question) => {
  if (question === 'arrivals') process.send(arrivals);
  if (question === 'open') process.send(open);
  if (question === 'forget') {
    arrivals = [];
    process.send(true);
  }
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
