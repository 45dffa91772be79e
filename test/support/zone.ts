import { NameServer, type NameAnswer } from './name-server';

const MAX_CNAMES = 16;

/** A name server with records by name and type, such as `www.example.com CNAME`, which a test sets. CNAMEs are followed. */
export class Zone {
  readonly records = new Map<string, NameAnswer>();
  /** Runs before each answer. */
  before: (name: string, type: string) => void | Promise<void> = () => {};

  private constructor(readonly server: NameServer) {}

  static async start(): Promise<Zone> {
    let zone: Zone | undefined = undefined as Zone | undefined;
    const server = await NameServer.start(async (name, type) => {
      await zone?.before(name, type);
      return zone?.answer(name.toLowerCase(), type);
    });
    zone = new Zone(server);
    return zone;
  }

  set(name: string, type: string, answer: NameAnswer): this {
    this.records.set(`${name} ${type}`, answer);
    return this;
  }

  reset(): void {
    this.records.clear();
    this.server.questions.length = 0;
    this.server.overTcp.length = 0;
    this.before = () => {};
  }

  private answer(name: string, type: string): NameAnswer {
    for (let followed = 0; followed < MAX_CNAMES; followed++) {
      if (this.records.has(`${name} ${type}`)) return this.records.get(`${name} ${type}`);
      const cname = type === 'CNAME' ? undefined : this.records.get(`${name} CNAME`);
      if (!Array.isArray(cname)) return [...this.records.keys()].some((key) => key.startsWith(`${name} `)) ? [] : 'NXDOMAIN';
      name = String(cname[0]).toLowerCase();
    }
    return 'SERVFAIL'; // as resolvers do for a loop
  }
}
