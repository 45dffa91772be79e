import { type Api, FrontdeskError } from '../api/api';

type Page = Awaited<ReturnType<typeof readPage>>;
export type LiveEvent = Page['data'][number];
type Listener = (events: readonly LiveEvent[]) => void;

/** Delay after a 429. */
const BACKOFF_MS = 10_000;
/** Short, because a revoked key is noticed only when a wait ends. */
const LONGEST_WAIT_S = 4;
/** Messages that the polling tab broadcasts, in addition to its cursor. */
const [CONNECTION_LOST, CONNECTION_BACK] = ['lost', 'back'];

/**
 * Follows the account's events while the tab is visible. One tab of the browser long-polls, under a lock, and broadcasts its
 * cursor; the others then read with their own keys. Without `events:read`, the key is read every 4 s, to notice that it was
 * revoked, and listeners are called every 8 s without events, so that they read again.
 */
export class LiveFeed {
  private readonly listeners = new Set<Listener>();
  private readonly stop = new AbortController();
  private readonly channel: BroadcastChannel;
  private visibility: AbortController | undefined;
  private cursor = 'latest';
  private isConnected = true;

  constructor(
    private readonly api: Api,
    private readonly mayRead: boolean,
    private readonly name: string,
    private readonly onConnectionChange: (isConnected: boolean) => void,
  ) {
    this.channel = new BroadcastChannel(name);
    this.channel.addEventListener('message', ({ data }) => void this.receive(String(data)));
    const { signal } = this.stop;
    document.addEventListener('visibilitychange', () => this.restart(), { signal });
    window.addEventListener('offline', () => this.setConnected(false), { signal });
    window.addEventListener('online', () => this.restart(), { signal });
    this.restart();
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    this.stop.abort();
    this.visibility?.abort();
    this.channel.close();
  }

  /** Stops following, and starts again if the tab is visible. */
  private restart(): void {
    this.visibility?.abort();
    if (document.visibilityState !== 'visible') return;
    this.visibility = new AbortController();
    const { signal } = this.visibility;
    this.run(signal).catch((error: unknown) => {
      if (!signal.aborted) throw error; // aborting also ends the wait for the lock
    });
  }

  private async run(signal: AbortSignal): Promise<void> {
    if (!this.mayRead) return this.pollKey(signal);
    await this.attempt(() => this.read(0, signal), signal);
    // Web Locks are unavailable on plain HTTP, except on localhost; without them, each tab polls for itself.
    if (!(navigator.locks as LockManager | undefined)) return this.followEvents(signal);
    await navigator.locks.request(this.name, { signal }, () => this.followEvents(signal));
  }

  private async followEvents(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await this.attempt(() => this.read(LONGEST_WAIT_S, signal), signal);
  }

  private async pollKey(signal: AbortSignal): Promise<void> {
    const check = async (): Promise<void> => {
      await this.api.get('/api/keys/current', { signal });
      this.setConnected(true);
    };
    for (let checks = 1; !signal.aborted; checks++) {
      await pause(LONGEST_WAIT_S * 1_000, signal);
      if (!signal.aborted) await this.attempt(check, signal);
      if (!signal.aborted && checks % 2 === 0) this.notify([]);
    }
  }

  private async receive(message: string): Promise<void> {
    if (message === CONNECTION_LOST || message === CONNECTION_BACK) this.setConnected(message === CONNECTION_BACK);
    else await this.catchUp(message);
  }

  /** Makes listeners read again once the connection is back, because their last read may have failed. */
  private setConnected(isConnected: boolean): void {
    if (isConnected === this.isConnected) return;
    this.isConnected = isConnected;
    this.onConnectionChange(isConnected);
    if (isConnected) this.notify([]);
  }

  /** Reads the events that another tab has read up to `cursor`. */
  private async catchUp(cursor: string): Promise<void> {
    const signal = this.visibility?.signal;
    if (!signal || signal.aborted || cursor === this.cursor) return;
    await this.attempt(() => this.read(0, signal), signal);
  }

  private async read(wait: number, signal: AbortSignal): Promise<void> {
    const from = this.cursor;
    const { data, meta } = await readPage(this.api, from, from === 'latest' || !this.isConnected ? 0 : wait, signal);
    if (signal.aborted || this.cursor !== from) return; // another read of this tab was faster
    this.cursor = meta.next;
    if (!this.isConnected) this.channel.postMessage(CONNECTION_BACK);
    this.setConnected(true);
    if (data.length === 0) return;
    this.notify(data);
    this.channel.postMessage(meta.next);
    if (meta.has_more) await this.read(0, signal);
  }

  /** Retries later: 10 s after a 429, sooner while the connection is lost. A refused key isn't used again: a 401 ends the session. */
  private async attempt(read: () => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await read();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof FrontdeskError)) throw error;
      if (error.status === 401 || error.status === 403) return this.visibility?.abort();
      if (error.status === 410) this.cursor = 'latest';
      if (error.status === 410 || error.status === 429) this.notify([]);
      else if (error.status !== 500) {
        this.channel.postMessage(CONNECTION_LOST);
        this.setConnected(false);
      }
      await pause(error.status === 429 ? BACKOFF_MS : 1_000 + Math.random() * 1_000, signal);
    }
  }

  private notify(events: readonly LiveEvent[]): void {
    for (const listener of this.listeners) listener(events);
  }
}

function readPage(api: Api, after: string, wait: number, signal: AbortSignal) {
  return api.get('/api/events', { query: { after, wait }, signal });
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
