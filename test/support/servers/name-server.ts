import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, isIPv4, type Server, type Socket as Connection } from 'node:net';
import { type Answer, decode, encode, type Packet, streamEncode, TRUNCATED_RESPONSE } from 'dns-packet';

const RCODES = { FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 };
/** As most servers. A longer response is sent over TCP only. */
const MAX_UDP_BYTES = 1_232;
const MAX_STRING = 255;

/** Addresses, names or texts, as the type asked for has them, a text perhaps in several strings; an error; or silence. */
export type NameAnswer = readonly (string | readonly string[])[] | keyof typeof RCODES | undefined;

type Answering = (name: string, type: string) => NameAnswer | Promise<NameAnswer>;

/** A name server on 127.0.0.1, on UDP and TCP. */
export class NameServer {
  /** Such as `hooks.test A`. */
  readonly questions: string[] = [];
  /** Of these, those that came over TCP. */
  readonly overTcp: string[] = [];
  private readonly connections = new Set<Connection>();
  /** By id and question: a resolver sends a query again when the answer takes too long, which counts once. */
  private readonly answers = new Map<string, NameAnswer | Promise<NameAnswer>>();

  private constructor(
    private readonly socket: Socket,
    private readonly server: Server,
    private readonly answer: Answering,
  ) {
    socket.on('message', (message, { port, address }) => {
      void this.respond(message, 'UDP').then((response) => response && socket.send(forUdp(response), port, address));
    });
    server.on('connection', (connection) => this.serve(connection));
  }

  /** Answers are asked for by name and by type; for A and AAAA, the addresses of the other family are left out. */
  static async start(answer: Answering): Promise<NameServer> {
    for (;;) {
      const socket = createSocket('udp4');
      socket.bind(0, '127.0.0.1');
      await once(socket, 'listening');
      const server = createServer().listen(socket.address().port, '127.0.0.1');
      const isListening = await once(server, 'listening').then(
        () => true,
        () => false, // another test has the port for TCP
      );
      if (isListening) return new NameServer(socket, server, answer);
      socket.close();
    }
  }

  /** For DNS_SERVERS. */
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  async close(): Promise<void> {
    for (const connection of this.connections) connection.destroy();
    await Promise.all([
      new Promise<void>((resolve) => this.socket.close(resolve)),
      new Promise<unknown>((resolve) => this.server.close(resolve)),
    ]);
  }

  private serve(connection: Connection): void {
    this.connections.add(connection);
    let bytes = Buffer.alloc(0);
    connection.on('error', () => undefined).on('close', () => this.connections.delete(connection));
    connection.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= 2 && bytes.length >= 2 + bytes.readUInt16BE()) {
        const message = bytes.subarray(2, 2 + bytes.readUInt16BE());
        bytes = bytes.subarray(2 + message.length);
        this.overTcp.push(questionOf(decode(message)));
        void this.respond(message, 'TCP').then((response) => response && connection.write(streamEncode(response)));
      }
    });
  }

  private async respond(message: Buffer, transport: 'UDP' | 'TCP'): Promise<Packet | undefined> {
    const { id, questions = [] } = decode(message);
    const [{ name, type }] = questions;
    const question = questionOf({ questions });
    const key = `${id} ${question} ${transport}`;
    if (!this.answers.has(key)) {
      this.questions.push(question);
      this.answers.set(key, this.answer(name, type));
    }
    const answer = await this.answers.get(key);
    if (answer === undefined) return undefined;
    const flags = typeof answer === 'string' ? RCODES[answer] : 0;
    return { type: 'response', id, flags, questions, answers: typeof answer === 'string' ? [] : recordsOf(name, type, answer) };
  }
}

function recordsOf(name: string, type: string, values: readonly (string | readonly string[])[]): Answer[] {
  if (type === 'TXT') return values.map((text) => ({ type, name, ttl: 0, data: typeof text === 'string' ? stringsOf(text) : [...text] }));
  const ofType = type.startsWith('A') ? values.filter((address) => isIPv4(String(address)) === (type === 'A')) : values;
  return ofType.map((data) => ({ type, name, ttl: 0, data }) as Answer);
}

function stringsOf(text: string): string[] {
  return Array.from({ length: Math.ceil(text.length / MAX_STRING) || 1 }, (_, i) => text.slice(i * MAX_STRING, (i + 1) * MAX_STRING));
}

/** RFC 2181, 9: without the records that don't fit. */
function forUdp(response: Packet): Buffer {
  const whole = encode(response);
  return whole.length <= MAX_UDP_BYTES ? whole : encode({ ...response, flags: TRUNCATED_RESPONSE, answers: [] });
}

function questionOf({ questions = [] }: Pick<Packet, 'questions'>): string {
  return `${questions[0].name} ${questions[0].type}`;
}
