import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import type { Clock } from '../../platform/common/clock';
import type { Wording } from '../../deliveries/channels/text-fit';
import type { Sending } from '../../deliveries/sending/attempt-runner';
import { type HttpTarget, Network, type SentMail } from '../../platform/common/network';
import { timestamp } from '../../platform/common/time';
import { Certificates } from './certificates';
import { NameServers } from './name-servers';
import type { Answer, AnswerRule, Sent, SentFilter } from './sandbox.dto';
import { receiveMail } from './smtp-receiver';

/** Most specific first: each criterion outweighs all later ones together. */
const CRITERIA = ['handler_id', 'host', 'type', 'account'] as const;

/** Picks how receivers answer: by the most specific rule, or the newest of equally specific ones. */
export class Answers {
  private rules: AnswerRule[] = [];

  add(rule: AnswerRule): void {
    this.rules.unshift({ ...rule, answers: [...rule.answers] });
    this.rules.sort((a, b) => weightOf(b) - weightOf(a));
  }

  reset(): void {
    this.rules = [];
  }

  /** Takes the next answer of the first matching rule; empty, which means success, if no rule matches. */
  take({ accountId, handlerId, type }: Partial<Sending>, host: string): Answer {
    const actual: Record<(typeof CRITERIA)[number], unknown> = { account: accountId, handler_id: handlerId, type, host };
    const rule = this.rules.find((each) => CRITERIA.every((name) => each[name] === undefined || each[name] === actual[name]));
    return rule?.answers.shift() ?? rule?.then ?? {};
  }
}

function weightOf(rule: AnswerRule): number {
  return CRITERIA.reduce((weight, name) => 2 * weight + Number(rule[name] !== undefined), 0);
}

/** How each type's service answers once it has accepted a message; types that are not listed answer 200. */
const DEFAULT_ANSWERS = new Map<string, Answer>([
  ['discord', { status: 204 }],
  ['microsoft_teams', { status: 202 }],
  ['telegram', { body: '{"ok":true,"result":{}}', headers: { 'content-type': 'application/json' } }],
  ...['twilio', 'twilio_call', 'whatsapp'].map((type): [string, Answer] => [
    type,
    { status: 201, body: '{"sid":"SM00000000000000000000000000000000"}', headers: { 'content-type': 'application/json' } },
  ]),
]);

/** Fills in the fields that an answer omits. */
export function withDefaults(answer: Answer, type = ''): Answer & { status: number; body: string } {
  const accepted = { status: 200, body: '', ...DEFAULT_ANSWERS.get(type) };
  if (answer.status !== undefined) return { body: '', ...answer, status: answer.status };
  return { ...accepted, ...answer };
}

/** What deliveries pass to the network about a request or email. */
type DeliveryContext = { sending?: Sending; wording?: Wording };

/** One connection carries one request: `Connection: close` in each answer. */
interface Connection extends DeliveryContext {
  origin: string;
  answer: Answer;
}

const CONNECTION_REFUSED = { code: 'ECONNREFUSED' };
const CONNECTION_RESET = { code: 'ECONNRESET' };
const BAD_CERTIFICATE = { code: 'CERT_HAS_EXPIRED' };

/** The network of a sandbox: accepts connections to any host within the process, stores requests and emails, and answers by the rules. */
export class Recorder extends Network {
  readonly answers = new Answers();
  readonly nameServers = new NameServers();
  readonly certificates: Certificates;
  private sent: Sent[] = [];
  private count = 0;
  private readonly openConnections = new Set<Duplex>();
  private readonly connections = new WeakMap<object, Connection>();
  private readonly server = createServer((request, response) => {
    this.serve(request, response).catch(() => request.destroy());
  });

  constructor(private readonly clock: Clock) {
    super();
    this.certificates = new Certificates(clock);
  }

  override readonly connectHttp = (target: HttpTarget): Duplex => {
    const { protocol, servername, host, sending, wording } = target as HttpTarget & DeliveryContext;
    const isTls = protocol === 'https:';
    const answer = this.answers.take(sending ?? {}, servername || String(host));
    const { near, far } = connection(isTls);
    this.connections.set(far, { origin: `${protocol}//`, sending, wording, answer });
    return this.establish(near, far, answer, () => this.server.emit('connection', far));
  };

  override connectMail(_port: number, host: string, sending?: Sending, sent?: SentMail & { wording: Wording }): Socket {
    const answer = this.answers.take(sending ?? {}, host);
    const { near, far } = connection(true);
    const serve = () =>
      receiveMail(far, async ({ from, to, raw }) => {
        const reply = withDefaults(answer);
        const { subject, text, wording } = sent!;
        this.record(sending, { readable: wording, mail: { from, to, subject, text, raw }, answer: reply });
        return (await this.mayAnswer(answer, far)) ? `${reply.status === 200 ? 250 : reply.status} ${reply.body || 'OK'}` : undefined;
      });
    return this.establish(near, far, answer, serve) as Socket;
  }

  override connectTls({ servername = '' }: ConnectionOptions): TLSSocket {
    return this.certificates.connect(servername);
  }

  override resolver() {
    return this.nameServers.resolver();
  }

  find(filter: SentFilter): Sent[] {
    const criteria = Object.entries(filter).filter(([, value]) => value !== undefined);
    return this.sent.filter((sent) => criteria.every(([name, value]) => sent[name as keyof Sent] === value));
  }

  /** Closes all connections, even hanging ones. */
  close(): void {
    for (const far of this.openConnections) far.destroy(Object.assign(new Error('closed'), CONNECTION_RESET));
  }

  reset(): void {
    this.close();
    this.sent = [];
    this.answers.reset();
    this.nameServers.reset();
    this.certificates.reset();
  }

  /** Emits `connect` asynchronously, as a socket does. */
  private establish(near: Duplex, far: Duplex, { fault }: Answer, serve: () => void): Duplex {
    const isTls = 'encrypted' in near;
    this.openConnections.add(far.once('close', () => this.openConnections.delete(far)));
    setImmediate(() => {
      if (fault === 'refuse') return near.destroy(Object.assign(new Error('refused'), CONNECTION_REFUSED));
      near.emit('connect');
      if (fault === 'tls') return near.destroy(Object.assign(new Error('bad certificate'), isTls ? BAD_CERTIFICATE : CONNECTION_RESET));
      serve();
      if (isTls) near.emit('secureConnect');
    });
    return near;
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin, sending, wording, answer } = this.connections.get(request.socket)!;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { status, headers, body: text, ...rest } = withDefaults(answer, sending?.type);
    const { method = '', headers: requestHeaders, url } = request;
    const recorded = { method, url: `${origin}${requestHeaders.host}${url}`, headers: requestHeaders, body };
    this.record(sending, { readable: wording!, request: recorded, answer: { status, headers, body: text, ...rest } });
    if (await this.mayAnswer(answer, request.socket)) response.writeHead(status, { ...headers, connection: 'close' }).end(text);
  }

  private record(sending: Sending | undefined, content: Pick<Sent, 'readable' | 'request' | 'mail' | 'answer'>): void {
    if (!sending) return;
    const { accountId, type, handlerId, messageId, deliveryId, attempt } = sending;
    const ids = { account: accountId, type, handler_id: handlerId, message_id: messageId, delivery_id: deliveryId, attempt };
    this.sent.push({ id: ++this.count, time: timestamp(this.clock.now()), ...ids, ...content });
  }

  /** Applies the fault and waits for the delay. Resolves to whether to answer. */
  private async mayAnswer({ fault, delay_ms = 0 }: Answer, far: Duplex): Promise<boolean> {
    if (fault === 'reset') far.destroy(Object.assign(new Error('reset'), CONNECTION_RESET));
    if (delay_ms > 0) await sleep(delay_ms, undefined, { ref: false });
    return fault === undefined;
  }
}

/** Two ends of a connection within the process. */
function connection(isTls: boolean): { near: Duplex; far: Duplex } {
  const [near, far] = duplexPair();
  for (const end of [near, far]) {
    const same = () => end;
    Object.assign(end, { setKeepAlive: same, setNoDelay: same, setTimeout: same, ref: same, unref: same, remoteAddress: '127.0.0.1' });
  }
  near.on('close', () => far.destroy());
  far.on('error', (error) => near.destroy(error));
  return { near: isTls ? Object.assign(near, { encrypted: true }) : near, far };
}
