import { Agent as HttpAgent } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';

/** Many servers, such as Node's and Apache's, close a connection that is idle for 5 s. */
const IDLE_MS = 4_000;
/** All Slack handlers, for example, share one server. */
const MAX_IDLE_PER_SERVER = 32;
const MAX_IDLE = 256;

/** Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 has no effect. Agents without `proxyEnv` use no proxy of the environment. */
const SINGLE_USE: AgentOptions = { rejectUnauthorized: true };
const KEPT: AgentOptions = { ...SINGLE_USE, keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MAX_IDLE_PER_SERVER };

/** The connections to receivers. Requests share one only if address, port and, with TLS, server name are the same. */
export class Agents {
  private readonly kept = { 'http:': limitIdle(new HttpAgent(KEPT)), 'https:': limitIdle(new HttpsAgent(KEPT)) };
  private readonly singleUse = { 'http:': new HttpAgent(SINGLE_USE), 'https:': new HttpsAgent(SINGLE_USE) };

  get(protocol: 'http:' | 'https:', isSingleUse: boolean): HttpAgent {
    return (isSingleUse ? this.singleUse : this.kept)[protocol];
  }

  /** Closes all connections, those in use, too. */
  destroy(): void {
    for (const agent of [this.kept, this.singleUse].flatMap((agents) => Object.values(agents))) agent.destroy();
  }
}

/** Node limits the idle connections to one server, not those to all. */
function limitIdle(agent: HttpAgent): HttpAgent {
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const idle = () => Object.values(agent.freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
  return Object.assign(agent, { keepSocketAlive: (socket: Duplex) => idle() < MAX_IDLE && keep(socket) });
}
