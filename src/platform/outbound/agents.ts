import { type ClientRequest, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { TLS_HANDSHAKE, type Network } from '../common/network';

/** Less than the 5 s after which many servers, such as Node's and Apache's, close an idle connection. */
const IDLE_MS = 4_000;
/** Maximum idle connections per protocol. All may be to one server: Slack handlers, for example, all post to the same one. */
const MAX_IDLE = 256;

/** `rejectUnauthorized` overrides NODE_TLS_REJECT_UNAUTHORIZED=0. Without `proxyEnv`, agents ignore HTTP_PROXY and the like. */
const SINGLE_USE: AgentOptions = { ...TLS_HANDSHAKE, rejectUnauthorized: true };
const KEEP_ALIVE: AgentOptions = { ...SINGLE_USE, keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MAX_IDLE };

/** Connections to receivers, shared by requests with the same address, port and, with TLS, server name. */
export class Agents {
  private readonly keepAlive = { 'http:': limitIdle(new HttpAgent(KEEP_ALIVE)), 'https:': limitIdle(new HttpsAgent(KEEP_ALIVE)) };
  private readonly singleUse = { 'http:': new HttpAgent(SINGLE_USE), 'https:': new HttpsAgent(SINGLE_USE) };

  constructor({ connectHttp }: Network) {
    if (connectHttp) for (const agent of this.all) Object.assign(agent, { createConnection: connectHttp });
  }

  get(protocol: 'http:' | 'https:', isSingleUse: boolean): HttpAgent {
    return (isSingleUse ? this.singleUse : this.keepAlive)[protocol];
  }

  /** Closes all connections, including those in use. */
  destroy(): void {
    for (const agent of this.all) agent.destroy();
  }

  private get all(): HttpAgent[] {
    return [this.keepAlive, this.singleUse].flatMap((agents) => Object.values(agents));
  }
}

/** Limits idle connections in total, and closes those that send data. Node limits them only per server, and would read their data endlessly. */
function limitIdle(agent: HttpAgent): HttpAgent {
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const reuse = agent.reuseSocket.bind(agent);
  const idle = () => Object.values(agent.freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
  return Object.assign(agent, {
    keepSocketAlive(socket: Duplex): boolean {
      const isKept = idle() < MAX_IDLE && keep(socket);
      if (isKept) socket.on('data', close);
      return isKept;
    },
    reuseSocket(socket: Duplex, request: ClientRequest): void {
      socket.off('data', close);
      reuse(socket, request);
    },
  });
}

function close(this: Duplex): void {
  this.destroy();
}
