import { Injectable, Logger } from '@nestjs/common';
import { HOUR_MS } from '../../platform/common/time';
import { Dialect } from '../../platform/database/dialect';
import { WriteExecutor, yieldToWriters } from '../../platform/database/writes/transactions';
import { Background, PollLoop } from '../../platform/jobs/background';
import { Job } from '../../platform/jobs/job.decorator';
import { ThrottledLog } from '../../platform/observability/logging';
import { ignoreDeleted, OF_ENABLED_ACCOUNT, VerificationTable } from './verification-table';

/** How long a new domain may lack its row, so that rows are inserted in batches. */
const POLL_MS = 200;
/** Rows per transaction, to keep locks short. */
const BATCH = 256;
/** Domains scanned per statement: one or two milliseconds of the embedded database. */
const MAX_READ = 1_000;
const READ_END = `SELECT MAX(id) FROM (SELECT id FROM domains WHERE id > ? AND id <= ? ORDER BY id LIMIT ${MAX_READ}) batch`;
const FIND = `SELECT domains.id FROM domains LEFT JOIN domain_verifications verification
  ON verification.domain_id = domains.id AND verification.host = domains.host
  WHERE domains.id > ? AND domains.id <= ? AND verification.id IS NULL AND ${OF_ENABLED_ACCOUNT}`;

/**
 * Inserts missing rows of domain_verifications; a domain without one counts as pending. Inserting them with each new domain cost a sixth
 * of the rate of creates (bench/HISTORY.md). Runs with DOMAIN_CHECKS=off, too.
 */
@Injectable()
export class MissingVerifications {
  private readonly warning = new ThrottledLog(new Logger(MissingVerifications.name), this.dialect.clock);
  /** Ids of new domains without a row. */
  private readonly created = new Set<number>();
  readonly loop = new PollLoop({
    cycle: () => this.cycle(),
    onError: (error) => this.warn(error),
  });

  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly table: VerificationTable,
    background: Background,
  ) {
    background.add(this);
  }

  /** Call after the commit. If the process is killed before it inserts the row, `addMissing` does. */
  noteCreated(domainId: number): void {
    this.created.add(domainId);
  }

  start(): void {
    this.loop.start();
  }

  nextDue(): Promise<number> {
    return Promise.resolve(this.loop.state !== 'off' && this.created.size > 0 ? 0 : Infinity);
  }

  async stop(): Promise<void> {
    await this.loop.stop();
    await this.insertCreated().catch((error: unknown) => this.warn(error));
  }

  /** Adds the rows that a killed process has not inserted. */
  @Job({ name: 'missing-verifications', everyMs: HOUR_MS, atStart: true })
  async addMissing(signal: AbortSignal): Promise<void> {
    const [[newest]] = await this.dialect.read<[id: number | null]>('SELECT MAX(id) FROM domains', []);
    for (let start = 0; ;) {
      signal.throwIfAborted();
      const [[end]] = await this.dialect.read<[end: number | null]>(READ_END, [start, newest]);
      if (end === null) return;
      for (const [id] of await this.dialect.read<[id: number]>(FIND, [start, end])) {
        signal.throwIfAborted();
        await this.executor.run((statements) => this.table.ensure(statements, id)).catch(ignoreDeleted);
        await yieldToWriters(); // after each, or a million domains inserted by SQL would block the embedded database
      }
      start = end;
      await yieldToWriters();
    }
  }

  /** Inserts the rows of the domains noted so far. */
  async insertCreated(): Promise<void> {
    for (let size = BATCH; size === BATCH && this.created.size > 0;) {
      const ids = [...this.created].slice(0, BATCH);
      size = ids.length;
      await this.executor.run((statements) => this.table.insertMissing(statements, ids));
      for (const id of ids) this.created.delete(id);
    }
  }

  private async cycle(): Promise<number> {
    await this.insertCreated();
    return POLL_MS;
  }

  private warn(error: unknown): void {
    this.warning.log({ message: 'New domains could not be given their verifications; retrying.', err: error });
  }
}
