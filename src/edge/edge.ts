import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config';
import { LiveDomains } from '../domains/live-domains';
import { EdgeMetrics } from './edge-metrics';
import { HostFeed } from './host-feed';
import type { EdgeThreadOptions, MessageFromThread, MessageToThread } from './messages';

/** Hosts live outside V8's heap; requests need little. */
const MEMORY = { maxYoungGenerationSizeMb: 16 };
const THREAD = join(__dirname, 'thread', 'entry.js');

/** The edge's listener, in a thread of its own: load on it delays the interface's event loop as little as the other way around. */
@Injectable()
export class Edge implements BeforeApplicationShutdown {
  private readonly logger = new Logger(Edge.name);
  private thread?: Worker;
  private isStopping = false;

  constructor(
    private readonly feed: HostFeed,
    private readonly live: LiveDomains,
    private readonly metrics: EdgeMetrics,
    private readonly config: Config,
  ) {}

  /** Starts the thread on a bound socket, if there is one. It refuses connections until `listen`. */
  async start(fd: number | undefined): Promise<void> {
    if (fd === undefined) return;
    const workerData: EdgeThreadOptions = { fd, logLevel: this.config.logLevel };
    const thread = new Worker(THREAD, { name: 'edge', workerData, resourceLimits: MEMORY });
    thread.on('error', (error) => this.die(error)).on('exit', (code) => this.die(new Error(`The edge's thread exited with ${code}.`)));
    await once(thread, 'message'); // ready
    this.thread = thread;
    thread.on('message', (message: MessageFromThread) => this.receive(message));
    this.feed.start((message) => this.post(message));
  }

  /** @throws the system error when it can't */
  async listen(): Promise<void> {
    if (!this.thread) return;
    const answered = once(this.thread, 'message') as Promise<[MessageFromThread]>;
    this.post({ type: 'listen' });
    const [message] = await answered;
    if (message.type !== 'failed') return;
    this.isStopping = true;
    throw Object.assign(new Error(message.message), { code: message.code });
  }

  /** Completes requests in progress. */
  async stop(): Promise<void> {
    if (!this.thread || this.isStopping) return;
    this.isStopping = true;
    const exited = new Promise((resolve) => this.thread?.once('exit', resolve)); // events.once would reject for an error
    this.post({ type: 'stop' });
    await Promise.all([exited, this.feed.stop()]);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  private receive(message: MessageFromThread): void {
    if (message.type === 'report') this.metrics.noteReport(message.counts, message.hosts);
    else if (message.type === 'query') void this.query(message.hosts);
  }

  /** Not logged per query; HostFeed warns once a minute. */
  private async query(hosts: readonly string[]): Promise<void> {
    const domains = await this.live.find(hosts).catch(() => undefined);
    this.post({ type: 'found', domains });
  }

  private post(message: MessageToThread): void {
    this.thread?.postMessage(message);
  }

  /** As an uncaught error of the main thread: a process manager, or the primary, starts another. */
  private die(error: unknown): void {
    if (this.isStopping) return;
    this.logger.fatal({ message: 'The edge has ended.', err: error });
    process.exit(1);
  }
}
