import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import { decode, encode, type Packet, type StringAnswer } from 'dns-packet';

const RCODES = { SERVFAIL: 2, NXDOMAIN: 3 };

/** Addresses, an error, or silence. */
export type NameAnswer = readonly string[] | keyof typeof RCODES | undefined;

/** A name server on 127.0.0.1. */
export class NameServer {
  /** Such as `hooks.test A`. */
  readonly questions: string[] = [];

  private constructor(
    private readonly socket: Socket,
    private readonly answer: (name: string, type: string) => NameAnswer,
  ) {
    socket.on('message', (message, { port, address }) => {
      const response = this.respond(decode(message));
      if (response) socket.send(encode(response), port, address);
    });
  }

  /** Answers are asked for by name and by type, A or AAAA; the addresses of the other family are left out. */
  static async start(answer: (name: string, type: string) => NameAnswer): Promise<NameServer> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket, answer);
  }

  /** For DNS_SERVERS. */
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.socket.close(resolve));
  }

  private respond({ id, questions = [] }: Packet): Packet | undefined {
    const [{ name, type }] = questions;
    this.questions.push(`${name} ${type}`);
    const answer = this.answer(name, type);
    if (answer === undefined) return undefined;
    const flags = typeof answer === 'string' ? RCODES[answer] : 0;
    const addresses = typeof answer === 'string' ? [] : answer.filter((address) => isIPv4(address) === (type === 'A'));
    const answers = addresses.map((data): StringAnswer => ({ type: type as 'A' | 'AAAA', name, ttl: 0, data }));
    return { type: 'response', id, flags, questions, answers };
  }
}
