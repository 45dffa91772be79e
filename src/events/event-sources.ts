import { Injectable, type Type } from '@nestjs/common';
import { insufficientScope } from '../auth/challenges';
import type { Caller } from '../auth/accounts/api-keys.service';
import { ImportScopes } from '../auth/import-scopes';
import { RoutePolicies, type ScopeName } from '../auth/route-policies';
import { NOTIFIED_EVENT, RECORD_ACTIONS } from '../platform/database/events/event-types';
import { Records } from '../platform/database/records/records';
import type { RecordTable } from '../platform/database/records/record-table';
import { READ_RECORD_KEY } from '../platform/http/routes';
import { RequestError } from '../platform/common/errors';

/** The second part of a type, by action: `deleted` in `domain.deleted`. Other actions are used unchanged. */
const PAST_TENSES: Readonly<Record<string, string | undefined>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  verify: 'verified',
  unverify: 'unverified',
  fail: 'failed',
  cancel: 'cancelled',
  acknowledge: 'acknowledged',
  deliver: 'delivered',
  retry: 'retried',
  complete: 'completed',
  revoke: 'revoked',
};

const IMPORT = 'import';
const IMPORT_COMPLETED = eventType(IMPORT, 'complete');

/** The events of one noun. */
interface EventSource {
  /** As stored in the log: `notification handler`. */
  noun: string;
  actions: readonly string[];
  /** Scopes of the route that reads a record; a reader needs all of them. */
  scopes: readonly ScopeName[];
  table: RecordTable<unknown>;
  /** The response class of the route that reads a record. */
  responseClass: Type;
}

/** A type of events. Imports have no `source`: their type is the same for every collection. */
interface EventKind {
  type: string;
  action: string;
  source?: EventSource;
}

/** The fields of a log row that determine its type and who may read it. */
export interface LoggedChange {
  record: string;
  action: string;
  data: Readonly<Record<string, unknown>>;
}

/** The types of events, and the scopes required to read one: those of the route that reads its record. */
@Injectable()
export class EventSources {
  private sourcesByNoun?: ReadonlyMap<string, EventSource>;

  constructor(
    private readonly records: Records,
    private readonly policies: RoutePolicies,
    private readonly imports: ImportScopes,
  ) {}

  /** Every type, sorted. */
  get types(): string[] {
    return this.kinds.map(({ type }) => type).sort();
  }

  get kinds(): EventKind[] {
    const ofRecords = [...this.sources.values()].flatMap((source) =>
      source.actions.map((action) => ({ type: eventType(source.noun, action), action, source })),
    );
    return [...ofRecords, { type: IMPORT_COMPLETED, action: 'complete' }];
  }

  /** Undefined for a row that is not in the feed. */
  typeOf({ record, action, data }: LoggedChange): string | undefined {
    if (data[NOTIFIED_EVENT] !== undefined) return undefined;
    const isEvent = record === IMPORT ? action === 'complete' : this.sources.get(record)?.actions.includes(action);
    return isEvent ? eventType(record, action) : undefined;
  }

  tableOf(noun: string): RecordTable<unknown> | undefined {
    return this.sources.get(noun)?.table;
  }

  /** Whether a row is in the feed and has one of the types, if any are given. */
  isListed(row: LoggedChange, types?: ReadonlySet<string>): boolean {
    const type = this.typeOf(row);
    return type !== undefined && (types?.has(type) ?? true);
  }

  /** Whether a reader with these scopes may see an event. */
  isVisible({ record, data }: LoggedChange, scopes: Caller['scopes']): boolean {
    const needed = record === IMPORT ? this.scopesOfImport(String(data.collection)) : this.sources.get(record)?.scopes;
    return needed !== undefined && needed.every((scope) => scopes.has(scope));
  }

  /** Expands types and patterns such as `domain.*`; unknown ones are left out. */
  expand(given: readonly string[]): Set<string> {
    const { types } = this;
    return new Set(given.flatMap((text) => types.filter((type) => matchesPattern(type, text))));
  }

  /** @throws RequestError for an unknown type, RequestError 403 for one whose scopes the reader lacks */
  resolve(given: readonly string[], scopes: Caller['scopes'], where: 'query' | 'form'): Set<string> {
    const { types } = this;
    if (given.some((text) => !types.some((type) => matchesPattern(type, text)))) {
      const detail = `types must be of these, or <noun>.* for all of one: ${types.join(', ')}.`;
      throw RequestError.of('invalid_parameter', detail, { in: where, name: 'types' });
    }
    const resolved = this.expand(given);
    // The feed shows only imports that the key may read, so one scope suffices; a handler is notified of all imports.
    const mayBePart = where === 'query' && this.imports.all.some((scope) => scopes.has(scope));
    this.requireScopes(
      [...resolved].filter((type) => !(mayBePart && type === IMPORT_COMPLETED)),
      scopes,
    );
    return resolved;
  }

  /** @throws RequestError 403 naming the scopes that the reader lacks for the first type refused */
  requireScopes(types: Iterable<string>, scopes: Caller['scopes']): void {
    for (const type of types) {
      const [noun] = type.split('.');
      const source = [...this.sources.values()].find((one) => eventNoun(one.noun) === noun);
      const needed = source?.scopes ?? this.imports.all;
      const missing = needed.filter((scope) => !scopes.has(scope));
      if (missing.length > 0) throw insufficientScope(needed, missing);
    }
  }

  private scopesOfImport(collection: string): readonly ScopeName[] | undefined {
    const scope = this.imports.of(collection);
    return scope ? [scope] : [...this.sources.values()].find(({ table }) => table.name === collection)?.scopes;
  }

  /** Built on first use: by then, every area has registered its tables. Not in a lifecycle hook, since commands run none. */
  private get sources(): ReadonlyMap<string, EventSource> {
    this.sourcesByNoun ??= new Map(
      [...this.records.tables].flatMap(([noun, table]): [string, EventSource][] => {
        const read = this.findReadRoute(table);
        const { events: actions = RECORD_ACTIONS } = table.options;
        return read && actions.length > 0 ? [[noun, { noun, actions, table, ...read }]] : [];
      }),
    );
    return this.sourcesByNoun;
  }

  /** Undefined for records that no route with a scope returns: nobody can read their events. */
  private findReadRoute({ options, record: stored }: RecordTable<unknown>): Pick<EventSource, 'scopes' | 'responseClass'> | undefined {
    const record = options.presentedAs ?? stored;
    for (const { handler, required: scopes } of this.policies.routes) {
      const responseClass = Reflect.getMetadata(READ_RECORD_KEY, handler) as Type<object> | undefined;
      if (responseClass && (responseClass === record || responseClass.prototype instanceof record))
        return scopes.length > 0 ? { scopes, responseClass } : undefined;
    }
    return undefined;
  }
}

function matchesPattern(type: string, text: string): boolean {
  return type === text || (text.endsWith('.*') && type.startsWith(text.slice(0, -1)));
}

/** `notification_handler` for a `notification handler`. */
export function eventNoun(noun: string): string {
  return noun.replaceAll(' ', '_');
}

/** `domain.deleted` */
function eventType(noun: string, action: string): string {
  return `${eventNoun(noun)}.${PAST_TENSES[action] ?? action}`;
}
