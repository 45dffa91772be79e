import type { NameResolver } from '../../platform/common/network';

export const RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'TXT'] as const;
export const DNS_FAULTS = ['nxdomain', 'servfail', 'timeout'] as const;

/** The name servers' answer for a name: the values of one record type, or a fault for every type. */
export type DnsAnswer =
  | { type: (typeof RECORD_TYPES)[number]; values: readonly string[]; fault?: undefined }
  | { fault: (typeof DNS_FAULTS)[number]; type?: undefined; values?: undefined };

/** Public, so that the address check accepts it. Nothing connects to it. */
const PUBLIC_ADDRESS = '93.184.215.14';
const MAX_CNAMES = 8;
/** Error codes of c-ares. */
const ERROR_CODES = { nxdomain: 'ENOTFOUND', servfail: 'ESERVFAIL', timeout: 'ETIMEOUT' };

/** The name servers of a sandbox. By default, every name has one public address and nothing else. */
export class NameServers {
  private readonly answers = new Map<string, string | readonly string[]>();

  set(name: string, answer: DnsAnswer): void {
    if (answer.fault) this.answers.set(keyOf(name), ERROR_CODES[answer.fault]);
    else {
      this.answers.delete(keyOf(name));
      this.answers.set(keyOf(name, answer.type), answer.values);
    }
  }

  reset(): void {
    this.answers.clear();
  }

  resolver(): NameResolver {
    const resolver = {
      cancel: () => undefined,
      getServers: () => ['192.0.2.53'],
      setServers: () => undefined,
      resolve4: (name: string) => this.resolve(name, 'A', [PUBLIC_ADDRESS]),
      resolve6: (name: string) => this.resolve(name, 'AAAA'),
      resolveCname: (name: string) => this.answer(name, 'CNAME'),
      resolveTxt: async (name: string) => (await this.resolve(name, 'TXT')).map((text) => [text]),
    };
    return resolver as unknown as NameResolver; // without the overloads for TTLs
  }

  /** Follows CNAMEs, as a recursive resolver does. */
  private async resolve(name: string, type: string, fallback?: readonly string[]): Promise<string[]> {
    let target = name;
    for (let followed = 0; followed < MAX_CNAMES && this.answers.has(keyOf(target, 'CNAME')); followed++) {
      [target] = await this.answer(target, 'CNAME');
    }
    return this.answer(target, type, fallback);
  }

  private answer(name: string, type: string, fallback: readonly string[] = []): Promise<string[]> {
    const values = this.answers.get(keyOf(name)) ?? this.answers.get(keyOf(name, type)) ?? fallback;
    if (typeof values !== 'string' && values.length > 0) return Promise.resolve([...values]);
    const code = typeof values === 'string' ? values : 'ENODATA';
    return Promise.reject(Object.assign(new Error(`${type} ${name}: ${code}`), { code }));
  }
}

function keyOf(name: string, type = 'any'): string {
  return `${name.toLowerCase().replace(/\.$/, '')} ${type}`;
}
