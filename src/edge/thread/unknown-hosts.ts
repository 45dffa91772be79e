import { flat } from './host-entry';

const MAX_HOSTS = 100_000;

/** Hosts that the database did not have, the last 100,000 of them. */
export class UnknownHosts {
  private readonly hosts = new Set<string>();

  has(host: string): boolean {
    return this.hosts.has(host);
  }

  add(host: string): void {
    this.hosts.add(flat(host));
    if (this.hosts.size <= MAX_HOSTS) return;
    const [oldest] = this.hosts;
    this.hosts.delete(oldest);
  }

  delete(host: string): void {
    this.hosts.delete(host);
  }

  clear(): void {
    this.hosts.clear();
  }
}
