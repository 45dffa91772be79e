import { Injectable } from '@nestjs/common';
import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { Clock } from '../platform/common/clock';
import { DAY_MS, HOUR_MS } from '../platform/common/time';
import { Dialect, type SqlExecutor } from '../platform/database/dialect';
import { byService, logEvents } from '../platform/database/events/audit';
import { EventNumbers } from '../platform/database/events/event-numbers';
import { inList } from '../platform/database/value-lists';
import { WriteExecutor, yieldToWriters } from '../platform/database/writes/transactions';
import { Job } from '../platform/jobs/job.decorator';

/** A domain that is verified and enabled. Its URLs are empty when not set. */
export interface LiveDomain {
  host: string;
  indexUrl: string;
  notFoundUrl: string;
}

/** A host that has changed. `domain` is set if the host is live now. */
export interface HostChange {
  host: string;
  domain?: LiveDomain;
}

type DomainRow = [host: string, indexUrl: string, notFoundUrl: string];

const COLUMNS = 'domains.host, custom_index_url, custom_not_found_url';
const LOAD = `SELECT ${COLUMNS}, verification.id FROM domain_verifications verification JOIN domains ON domains.id = verification.domain_id
  WHERE verification.id > ? AND is_enabled = 1 AND status = 'verified' AND verification.host = domains.host ORDER BY verification.id LIMIT ?`;
/**
 * Reads changes and their domains in one statement, and so in one snapshot. With a LEFT JOIN of a nested join, SQLite would read all
 * verifications: 70 ms instead of 0.01 with 100,000 of them.
 */
const FIND_CHANGED = `SELECT ${COLUMNS}, changes.host, verification.id
  FROM (SELECT DISTINCT host FROM audit WHERE number > ? AND number <= ? AND host IS NOT NULL) changes
  LEFT JOIN domains ON domains.host = changes.host AND domains.is_enabled = 1
  LEFT JOIN domain_verifications verification
    ON verification.domain_id = domains.id AND verification.status = 'verified' AND verification.host = domains.host`;

/** A reader that lags by more reloads all domains. Half the minimum of EVENTS_KEEP_DAYS, after which changes may be deleted. */
export const MAX_GAP_MS = DAY_MS / 2;
/** Changes deleted per statement, to keep locks short. */
const BATCH = 500;
const KEEP_MS = DAY_MS;
const FIND_OLD = `SELECT id FROM domain_changes WHERE created < ? ORDER BY created LIMIT ${BATCH}`;

/**
 * The edge's feed of hosts that may have become live, changed, or stopped being live: rows of the event log that have a host. They don't
 * say whether the domain is live now; readers query that.
 */
@Injectable()
export class DomainChanges {
  constructor(
    private readonly dialect: Dialect,
    private readonly executor: WriteExecutor,
    private readonly numbers: EventNumbers,
    private readonly clock: Clock,
  ) {}

  /** Logs a change for each verified host of these verifications, which are about to be deleted. Their rows must be locked. */
  async noteEnds(statements: SqlExecutor, accountId: number, ids: readonly number[]): Promise<void> {
    const { sql, values } = inList(ids);
    const find = `SELECT host, domain_id FROM domain_verifications WHERE status = 'verified' AND id IN ${sql}`;
    const verified = await statements.read<[host: string, domainId: number]>(find, values);
    const events = verified.map(([host, recordId]) => ({ action: '', record: 'domain', recordId, host }));
    await logEvents(statements, byService(accountId), events);
  }

  /** Numbers committed changes, and returns the last number. */
  async number(): Promise<number> {
    return (await this.numbers.number()).last;
  }

  /** A page of up to `max` live domains after a position, 0 for the first page; `next` is undefined on the last. */
  async load(position: number, max: number): Promise<{ domains: LiveDomain[]; next?: number }> {
    const rows = await this.dialect.read<[...DomainRow, position: number]>(LOAD, [position, max]);
    const domains = rows.map(([host, indexUrl, notFoundUrl]) => ({ host, indexUrl, notFoundUrl }));
    return { domains, next: rows.length < max ? undefined : rows[rows.length - 1][3] };
  }

  /** Hosts with changes numbered above `from`, up to and including `to`; without duplicates. */
  async findChanged(from: number, to: number): Promise<HostChange[]> {
    const rows = await this.dialect.read<[...DomainRow, host: string, verificationId: number | null]>(FIND_CHANGED, [from, to]);
    return rows.map(([host, indexUrl, notFoundUrl, changed, verificationId]) => ({
      host: changed,
      domain: verificationId === null ? undefined : { host, indexUrl, notFoundUrl },
    }));
  }

  /** Deletes rows of domain_changes older than a day. Only processes of the previous version read them. */
  @Job({ name: 'domain-changes', everyMs: HOUR_MS })
  async prune(signal: AbortSignal): Promise<void> {
    const before = this.clock.now() - KEEP_MS;
    for (let found = BATCH; found === BATCH;) {
      signal.throwIfAborted();
      const ids = (await this.dialect.read<[id: number]>(FIND_OLD, [before])).map(([id]) => id);
      found = ids.length;
      if (found === 0) return;
      const { sql, values } = inList(ids);
      await this.executor.run((statements) => statements.write(`DELETE FROM domain_changes WHERE id IN ${sql}`, values));
      await yieldToWriters();
    }
  }
}

/** A change of a host, for processes of the previous version, which follow this table. To be removed in the next release. */
@Entity('domain_changes')
export class DomainChange {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 253 })
  host: string;

  /** Null until it is numbered, after its commit. */
  @Index()
  @Column({ type: 'bigint', nullable: true })
  sequence: number | null;

  /** Milliseconds since 1970. */
  @Index()
  @Column({ type: 'bigint' })
  created: number;

  /** Null in rows written by the previous version, until they are in the event log. */
  @Index()
  @Column({ type: 'boolean', nullable: true })
  is_logged: boolean | null;
}

/** The last `sequence` assigned by the previous version: one row, with the id 1. */
@Entity('domain_change_sequences')
export class ChangeSequence {
  @PrimaryColumn({ type: 'int' })
  id: number;

  @Column({ type: 'bigint' })
  last: number;
}
