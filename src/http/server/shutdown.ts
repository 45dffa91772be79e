import type { Server } from 'node:http';
import { Server as Listener } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';

/** Keep-alive clients are told to close for this long; closing at once would cut off requests in flight. */
const FAREWELL_MS = 1_000;
const DEADLINE_MS = 7_000;
const POLL_MS = 20;

/** Graceful shutdown: requests in flight are answered, up to a deadline. */
@Injectable()
export class Shutdown {
  begun = false;

  readonly announce = (_request: Request, response: Response): void => {
    if (this.begun) response.setHeader('Connection', 'close');
  };

  async drain(server: Server): Promise<void> {
    this.begun = true;
    // Refuses new connections, whose requests might be lost at the end. http.Server's own close would also cut off idle
    // connections, with requests in flight on them.
    const closed = new Promise<void>((resolve) => Listener.prototype.close.call(server, () => resolve()));
    await sleep(FAREWELL_MS);
    const closing = setInterval(() => server.closeIdleConnections(), POLL_MS);
    await Promise.race([closed, sleep(DEADLINE_MS)]);
    clearInterval(closing);
    server.closeAllConnections();
    await Promise.race([closed, sleep(DEADLINE_MS)]);
    await sleep(POLL_MS); // sockets emit close after the server does; only then are cut-off requests logged
  }
}
