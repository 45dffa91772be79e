import type { Server } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { drainServer } from './connections';

/** Graceful shutdown: requests in progress are completed, up to the deadline. */
@Injectable()
export class Shutdown {
  isDraining = false;

  /** Request hook that stops clients from reusing their connection. */
  readonly announce = (_request: Request, response: Response): void => {
    if (this.isDraining) response.setHeader('Connection', 'close');
  };

  drain(server: Server): Promise<void> {
    this.isDraining = true;
    return drainServer(server);
  }
}
