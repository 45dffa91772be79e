import { connect } from 'node:net';

/** One HTTP/1.1 connection at the byte level: costs the load generator far less than a full client. */
export class RawConnection {
  #socket;
  #received = Buffer.alloc(0);
  #settle;

  constructor(port) {
    this.port = port;
  }

  /** Sends a request; `{ status, text }` of its response, or `{ failure }`, after which it reconnects. */
  exchange(bytes) {
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#socket ??= this.#open();
      this.#socket.write(bytes);
    });
  }

  close() {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open() {
    const socket = connect(this.port, '127.0.0.1').setNoDelay();
    this.#received = Buffer.alloc(0);
    socket.on('data', (bytes) => this.#receive(bytes));
    socket.on('error', ({ code }) => this.#fail(socket, code));
    socket.on('close', () => this.#fail(socket, 'CLOSED'));
    return socket;
  }

  #receive(bytes) {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    const answer = readAnswer(this.#received);
    if (!answer) return;
    this.#received = Buffer.alloc(0);
    if (answer.isLast) this.close();
    this.#give(answer);
  }

  #fail(socket, failure) {
    if (socket !== this.#socket) return;
    this.close();
    this.#give({ failure });
  }

  #give(answer) {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(answer);
  }
}

/** The response in these bytes, if complete. */
function readAnswer(bytes) {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const body = bytes.subarray(end + 4);
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  const isWhole = length === undefined ? body.toString('latin1', body.length - 5) === '0\r\n\r\n' : body.length >= Number(length);
  if (!isWhole) return undefined;
  return { status: Number(head.slice(9, 12)), text: body.toString(), isLast: /^connection: *close/im.test(head) };
}

/** The bytes of a request with these headers and no body. */
export function requestBytes(method, path, headers) {
  const lines = Object.entries({ Host: 'faults.example.com', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
}
