import type { Server } from 'node:http';
import { Server as Listener } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';

/** For so long each client is told, with its next answer, not to come back; closing at once would cut off requests on their way. */
const FAREWELL_MILLISECONDS = 1_000;
const DEADLINE_MILLISECONDS = 7_000;
const POLL_MILLISECONDS = 20;

/** Ends a server so that every request that has begun is answered, unless it takes longer than the deadline. */
@Injectable()
export class Shutdown {
  begun = false;

  /** Tells clients of a server that is going away not to send another request on their connection. */
  readonly announce = (_request: Request, response: Response): void => {
    if (this.begun) response.setHeader('Connection', 'close');
  };

  async drain(server: Server): Promise<void> {
    this.begun = true;
    // Whoever is told to leave may connect again at once. Taken in, and not served yet when it all ends, a request would be
    // lost; refused, it never began. HTTP's own `close` would cut off idle connections, too, and what is on its way on them.
    const closed = new Promise<void>((resolve) => Listener.prototype.close.call(server, () => resolve()));
    await sleep(FAREWELL_MILLISECONDS);
    const deadline = AbortSignal.timeout(DEADLINE_MILLISECONDS);
    let open = true;
    void closed.then(() => (open = false));
    while (open && !deadline.aborted) {
      server.closeIdleConnections(); // a connection whose answer went out before `begun` was set is idle only now
      await sleep(POLL_MILLISECONDS);
    }
    server.closeAllConnections();
    await Promise.race([closed, sleep(DEADLINE_MILLISECONDS)]);
    await sleep(POLL_MILLISECONDS); // Node tells of a connection's end after the server's: what was cut off is logged only then
  }
}
