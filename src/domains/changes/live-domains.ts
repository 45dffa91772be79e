import { Injectable } from '@nestjs/common';
import { Dialect, type RowValues } from '../../database/dialect';

/** A domain that is verified and enabled. Its URLs are empty when not set. */
export interface LiveDomain {
  host: string;
  indexUrl: string;
  notFoundUrl: string;
}

/** A host that has changed, with its domain if it is live now. */
export interface HostChange {
  host: string;
  domain?: LiveDomain;
}

const LIVE = `domains.is_enabled = 1 AND verification.status = 'verified' AND verification.host = domains.host`;
const JOIN = `domain_verifications verification JOIN domains ON domains.id = verification.domain_id`;
const COLUMNS = 'domains.host, custom_index_url, custom_not_found_url';
const LOAD = `SELECT ${COLUMNS}, verification.id FROM ${JOIN} WHERE verification.id > ? AND ${LIVE} ORDER BY verification.id LIMIT ?`;
/**
 * Changes and their domains in one statement, and so in one snapshot. Joined one by one: for a LEFT JOIN of a join, SQLite reads all
 * verifications, which takes 70 ms with 100,000 of them instead of 0.01 ms.
 */
const FIND_CHANGED = `SELECT ${COLUMNS}, changes.host, verification.id
  FROM (SELECT DISTINCT host FROM domain_changes WHERE sequence > ? AND sequence <= ?) changes
  LEFT JOIN domains ON domains.host = changes.host AND domains.is_enabled = 1
  LEFT JOIN domain_verifications verification
    ON verification.domain_id = domains.id AND verification.status = 'verified' AND verification.host = domains.host`;

/** Reads domains for the edge. */
@Injectable()
export class LiveDomains {
  constructor(private readonly dialect: Dialect) {}

  /** Up to `max` live domains after a position, which is 0 for the first; `next` is undefined after the last. */
  async load(position: number, max: number): Promise<{ domains: LiveDomain[]; next?: number }> {
    const rows = await this.dialect.read(LOAD, [position, max]);
    const next = rows.length < max ? undefined : Number(rows[rows.length - 1][3]);
    return { domains: rows.map(toDomain), next };
  }

  /** Hosts with changes numbered above `from`, up to and including `to`; without duplicates. */
  async findChanged(from: number, to: number): Promise<HostChange[]> {
    const rows = await this.dialect.read(FIND_CHANGED, [from, to]);
    return rows.map((row) => ({ host: String(row[3]), domain: row[4] === null ? undefined : toDomain(row) }));
  }
}

function toDomain([host, indexUrl, notFoundUrl]: RowValues): LiveDomain {
  return { host: String(host), indexUrl: String(indexUrl), notFoundUrl: String(notFoundUrl) };
}
