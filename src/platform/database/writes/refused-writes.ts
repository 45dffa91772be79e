import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Dialect } from '../dialect';
import { holdersOf, referencesOf } from '../foreign-keys';
import { UniqueViolation } from './transactions';

/** Explains to the client why a key rejected a write; `fields` are columns that must be unique, or that reference no record. */
interface Refusal {
  status: 400 | 409;
  detail: string;
  fields: readonly string[];
}

const STATEMENT = /^\s*(DELETE FROM|INSERT (?:IGNORE |OR \w+ )?INTO|REPLACE INTO|UPDATE(?: OR \w+)?) [`"]?(\w+)/i;

/** Explains writes rejected by a unique or foreign key, whichever API made them. */
@Injectable()
export class RefusedWrites {
  constructor(
    private readonly dataSource: DataSource,
    private readonly dialect: Dialect,
  ) {}

  /** Undefined for any other error. A reference to a missing record is a 400 if the form contains that reference, else a 409. */
  explain(error: unknown, form: unknown): Refusal | undefined {
    const { cause = error } = error instanceof UniqueViolation ? error : {};
    const kind = this.dialect.errorKind(cause);
    if (error instanceof UniqueViolation || kind === 'duplicate') return duplicate(this.uniqueColumns(cause));
    const { query = '' } = (cause ?? {}) as { query?: string };
    const [, verb, table] = STATEMENT.exec(query) ?? [];
    if (kind !== 'referenced' || !table) return undefined;
    return /^DELETE/i.test(verb) ? this.heldBy(cause, table) : this.missing(cause, table, query, (form ?? {}) as Record<string, unknown>);
  }

  private heldBy(error: unknown, table: string): Refusal {
    const holder =
      this.dialect.violatedKey(error).holder ?? [...new Set(holdersOf(this.dataSource, table).map((one) => one.table))].join(' or ');
    return { status: 409, detail: inUse('record', holder || 'other records'), fields: [] };
  }

  /** SQLite doesn't say which reference failed: names those in the form or, without any, all that the statement writes. */
  private missing(error: unknown, table: string, query: string, form: Record<string, unknown>): Refusal | undefined {
    const { column } = this.dialect.violatedKey(error);
    const [written] = query.split(/\bWHERE\b/i);
    const isWritten = (name: string) => (column === undefined ? new RegExp(`\\b${name}\\b`).test(written) : name === column);
    const all = referencesOf(this.dataSource, table).filter((one) => isWritten(one.column));
    const sent = all.filter((one) => (form[one.column] ?? null) !== null);
    const meant = sent.length > 0 ? sent : all;
    if (meant.length === 0) return undefined;
    const detail =
      meant.length === 1
        ? `${meant[0].column} must be the id of a record of ${meant[0].to}.`
        : `One of these refers to no record: ${meant.map((one) => `${one.column} (${one.to})`).join(', ')}.`;
    return { status: sent.length > 0 ? 400 : 409, detail, fields: sent.map((one) => one.column) };
  }

  private uniqueColumns(error: unknown): readonly string[] {
    const { name, columns } = this.dialect.violatedKey(error);
    const keys = this.dataSource.entityMetadatas.flatMap(({ indices, uniques }) => [...indices, ...uniques]);
    const key = name === undefined ? undefined : keys.find((one) => one.name === name);
    const names = columns ?? key?.columns.map(({ databaseName }) => databaseName) ?? [];
    return names.filter((column) => column !== 'account_id');
  }
}

function duplicate(fields: readonly string[]): Refusal {
  const values = fields.length === 1 ? 'this value' : 'these values';
  return { status: 409, detail: `${fields.join(' and ') || 'The record'} must be unique; another record has ${values}.`, fields };
}

export function inUse(noun: string, holder: string): string {
  return `This ${noun} can't be deleted while ${holder} refer to it.`;
}
