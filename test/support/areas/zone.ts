import { type NameAnswer, NameServer } from '../servers/name-server';

const MAX_CNAMES = 16;

/** Serves records by name and type, such as `www.example.com CNAME`, over real DNS, unlike the sandbox. CNAMEs are followed. */
class Zone {
  server: NameServer;
  readonly records = new Map<string, NameAnswer>();
  /** Runs before each answer. */
  before: (name: string, type: string) => void | Promise<void> = () => {};

  async start(): Promise<void> {
    this.server = await NameServer.start(async (name, type) => {
      await this.before(name, type);
      return this.answer(name.toLowerCase(), type);
    });
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

/** One per test file, empty before each test. */
export const zone = new Zone();
beforeAll(() => zone.start());
beforeEach(() => zone.reset());
afterAll(() => zone.server.close());
