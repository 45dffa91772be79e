import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { notBeyond } from '../../../common/time';
import { Dialect, type SqlExecutor } from '../../../database/dialect';
import { inList } from '../../../database/value-lists';
import { WriteExecutor } from '../../../database/writes/transactions';
import { type DueDomain, DueDomains } from './due-domains';
import { MAX_WAIT_MS } from '../verification-state';
import type { LookLimits } from './look-limits';

/** A domain that this process looks up, alone until the lease ends: until then it isn't due. */
export interface LookClaim extends DueDomain {
  /** Milliseconds since 1970. */
  lease: number;
}

export interface Claimed {
  claims: LookClaim[];
  /** Whether something due was left: there was no place for it, or another process has taken it. */
  hasMore: boolean;
}

/** Much longer than a look. */
const LEASE_MS = 30_000;

@Injectable()
export class Claimer {
  constructor(
    private readonly due: DueDomains,
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
  ) {}

  /** Claims what has a place, which it takes. */
  async claim(limits: LookLimits): Promise<Claimed> {
    if (limits.room(this.clock.monotonic()) === 0) return { claims: [], hasMore: true };
    const due = await this.due.find(this.clock.now());
    const taken = due.filter(({ accountId, host }) => limits.tryTake(accountId, host, this.clock.monotonic()));
    const claims = await this.lease(taken).catch((error: unknown) => {
      taken.forEach(({ accountId }) => limits.release(accountId));
      throw error;
    });
    const claimed = new Set(claims.map(({ id }) => id));
    for (const { id, accountId } of taken) if (!claimed.has(id)) limits.release(accountId);
    return { claims, hasMore: claims.length < due.length };
  }

  private async lease(taken: readonly DueDomain[]): Promise<LookClaim[]> {
    if (taken.length === 0) return [];
    const now = this.clock.now();
    const lease = now + LEASE_MS;
    const free = await this.executor.runWithRetries((statements) => this.leaseFree(statements, taken, now, lease));
    return taken.filter(({ id }) => free.has(id)).map((domain) => ({ ...domain, lease }));
  }

  /** Except those that another process claims, or has claimed since they were found. Returns the ids. */
  private async leaseFree(statements: SqlExecutor, taken: readonly DueDomain[], now: number, lease: number): Promise<Set<number>> {
    const candidates = inList(taken.map(({ id }) => id));
    const lock = `SELECT id, due FROM domain_verifications WHERE id IN ${candidates.sql}${this.dialect.forUpdateSkipLocked}`;
    const rows = await statements.read(lock, candidates.values);
    const free = rows.filter(([, due]) => due !== null && notBeyond(Number(due), now, MAX_WAIT_MS) <= now).map(([id]) => Number(id));
    if (free.length === 0) return new Set();
    const { sql, values } = inList(free);
    await statements.write(`UPDATE domain_verifications SET due = ? WHERE id IN ${sql}`, [lease, ...values]);
    return new Set(free);
  }
}
