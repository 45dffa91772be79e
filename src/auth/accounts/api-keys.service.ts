import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, IsNull, LessThanOrEqual, type Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock';
import { Semaphore } from '../../platform/common/concurrency';
import { MINUTE_MS, timestamp } from '../../platform/common/time';
import { operatorContext, type WriteContext } from '../../platform/common/write-context';
import { Config } from '../../platform/config/config';
import { logAuditedEvent } from '../../platform/database/events/event-log';
import { rowLock } from '../../platform/database/row-lock';
import { type Transaction, WriteExecutor } from '../../platform/database/writes/transactions';
import { RequestError } from '../../platform/common/errors';
import { OperatorError } from './accounts.service';
import { KEYS_WRITE, RoutePolicies, type ScopeName } from '../route-policies';
import { ApiKey } from './api-key.entity';
import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Below 1 s, so that a revoked key stops working within a second. */
const CACHE_MS = 900;
const MAX_CACHED_KEYS = 10_000;
const MAX_WAITING_LOOKUPS = 1_000;
const LAST_USED_INTERVAL_MS = MINUTE_MS;

/** The account and the key that a request is authenticated with. */
export interface Caller {
  accountId: number;
  keyId: number;
  scopes: Pick<ReadonlySet<string>, 'has'>;
}

@Injectable()
export class ApiKeysService {
  private readonly logger = new Logger(ApiKeysService.name);
  private readonly cache = new Map<string, { caller: Caller; until: number }>();
  private readonly pendingLookups = new Map<string, Promise<Caller | undefined>>();
  /** Keeps lookups of forged keys, whose checksum anyone can compute, from using up all connections. */
  private readonly uncachedLookups: Semaphore;

  constructor(
    @InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>,
    private readonly executor: WriteExecutor,
    private readonly policies: RoutePolicies,
    private readonly clock: Clock,
    { databasePoolSize }: Config,
  ) {
    this.uncachedLookups = new Semaphore(Math.ceil(databasePoolSize / 2), { maxWaiting: MAX_WAITING_LOOKUPS });
  }

  /** The cached caller of a key; undefined if it isn't cached, or the cache entry has expired. */
  getCached(key: string): Caller | undefined {
    const cached = this.cache.get(key);
    return cached && this.clock.monotonic() < cached.until ? cached.caller : undefined;
  }

  /**
   * Looks up the caller of a key; undefined when it is malformed, unknown, expired or revoked, or its account disabled. Concurrent requests
   * share a lookup. @throws RequestError 503 unavailable when too many keys are waiting
   */
  async authenticate(key: string): Promise<Caller | undefined> {
    const pending = this.pendingLookups.get(key);
    if (pending) return pending;
    if (!isWellFormedKey(key)) return undefined;
    const lookup = this.cache.has(key) ? this.lookUp(key) : this.lookUpLimited(key);
    this.pendingLookups.set(key, lookup);
    return lookup.finally(() => this.pendingLookups.delete(key));
  }

  /** Returns the new key, which can't be read again. @throws OperatorError for an unknown scope */
  create(options: NewApiKey): Promise<{ id: number; key: string }> {
    return this.executor.run((transaction) => this.insert(transaction, options));
  }

  /** Like `create`, in an open transaction. @throws OperatorError for an unknown scope */
  async insert(
    transaction: Transaction,
    options: NewApiKey,
    context = operatorContext(options.accountId),
  ): Promise<{ id: number; key: string }> {
    const { accountId, name, scopes, expires } = options;
    const known = this.policies.scopes;
    const unknown = scopes?.find((scope) => !known.includes(scope));
    if (unknown !== undefined) throw new OperatorError(`There is no scope ${unknown}. The scopes are ${known.join(',')}.`);
    const key = generateKey();
    const { id } = await transaction.manager.save(ApiKey, {
      account_id: accountId,
      name,
      key_hash: hashKey(key),
      scopes: (scopes ?? this.policies.allScopes).join(','),
      has_all_scopes: !scopes,
      expires_datetime: expires ? timestamp(expires) : null,
      datetime: timestamp(transaction.clock.now()),
    });
    await logAuditedEvent(transaction, context, { action: 'create', record: 'key', recordId: id, data: { name } });
    return { id, key };
  }

  findAll(accountId?: number): Promise<ApiKey[]> {
    return this.keys.find({
      where: accountId === undefined ? {} : { account_id: accountId },
      relations: { account: true },
      order: { id: 'ASC' },
    });
  }

  /** Revokes a key, in every process within a second. @throws OperatorError for an unknown id */
  async revoke(id: number): Promise<void> {
    const key = await this.keys.findOneBy({ id });
    if (!key) throw new OperatorError(`There is no key with the id ${id}. See: keys list`);
    await this.executor.run((transaction) => this.revokeWithin(transaction, operatorContext(key.account_id), id));
  }

  /** Revokes a key of the account. Returns false if the account has no such key, or it is already revoked. */
  async revokeWithin(transaction: Transaction, context: WriteContext, id: number): Promise<boolean> {
    const { manager, clock } = transaction;
    const where = { id, account_id: context.accountId, revoked_datetime: IsNull() };
    const { affected } = await manager.update(ApiKey, where, { revoked_datetime: timestamp(clock.now()) });
    if (!affected) return false;
    const { name } = await manager.findOneByOrFail(ApiKey, { id });
    await logAuditedEvent(transaction, context, { action: 'revoke', record: 'key', recordId: id, data: { name } });
    return true;
  }

  /** Reads a cached key from the database; undefined if it is no longer valid. Locks it if a transaction's manager is given. */
  async findValid(keyId: number, manager?: EntityManager): Promise<ApiKey | undefined> {
    const keys = manager?.getRepository(ApiKey) ?? this.keys;
    const lock = manager && rowLock(manager);
    const found = await keys.find({ where: { id: keyId }, relations: { account: true }, lock }); // findOne would run two queries
    return found.find((key) => this.remainingLifetime(key) > 0);
  }

  /** @throws RequestError 503 unavailable when too many keys are waiting */
  private async lookUpLimited(key: string): Promise<Caller | undefined> {
    if (!(await this.uncachedLookups.acquire())) throw RequestError.unavailable('Too many keys are being looked up. Try again.');
    return this.lookUp(key).finally(() => this.uncachedLookups.release());
  }

  private async lookUp(key: string): Promise<Caller | undefined> {
    const started = this.clock.monotonic();
    const row = await this.keys // findOne would run two queries
      .createQueryBuilder('key')
      .innerJoinAndSelect('key.account', 'account')
      .where({ key_hash: hashKey(key) })
      .getOne();
    this.cache.delete(key);
    const lifetime = row ? this.remainingLifetime(row) : 0;
    if (!row || lifetime <= 0) return undefined;
    this.updateLastUsed(row).catch((error: unknown) => this.logger.warn({ message: "Could not record a key's last use.", err: error }));
    const caller = { accountId: row.account_id, keyId: row.id, scopes: scopesOf(row) };
    if (this.cache.size >= MAX_CACHED_KEYS) this.cache.clear();
    this.cache.set(key, { caller, until: started + Math.min(CACHE_MS, lifetime) });
    return caller;
  }

  /** Milliseconds until a key expires; 0 or less for one that is no longer valid. */
  private remainingLifetime({ expires_datetime, revoked_datetime, account }: ApiKey): number {
    if (revoked_datetime || account.disabled_datetime) return 0;
    return expires_datetime ? Date.parse(`${expires_datetime.replace(' ', 'T')}Z`) - this.clock.now() : Infinity;
  }

  /** Writes at most once a minute per key, across all processes, to keep reads cheap. */
  private async updateLastUsed({ id, last_used_datetime }: ApiKey): Promise<void> {
    const now = this.clock.now();
    const cutoff = timestamp(now - LAST_USED_INTERVAL_MS);
    if (last_used_datetime && last_used_datetime > cutoff) return;
    const where = [IsNull(), LessThanOrEqual(cutoff)].map((previous) => ({ id, last_used_datetime: previous }));
    const set = { last_used_datetime: timestamp(now) };
    await this.executor.run(({ manager }) =>
      manager.createQueryBuilder().update(ApiKey).set(set).where(where).callListeners(false).execute(),
    );
  }
}

function scopesOf({ scopes, has_all_scopes }: ApiKey): Caller['scopes'] {
  return has_all_scopes ? { has: (scope) => scope !== KEYS_WRITE } : new Set(scopes.split(','));
}

export interface NewApiKey {
  accountId: number;
  name: string;
  /** Default: all but `keys:write`, including those added by later versions. */
  scopes?: readonly ScopeName[];
  expires?: Date;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'fd_';
const SECRET_LENGTH = 32; // 190 bits
const CHECKSUM_LENGTH = 6;
const KEY_PATTERN = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** `fd_`, 32 random characters, and a 6-character checksum that catches typos without a query. */
export function generateKey(): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => BASE62[randomInt(BASE62.length)]).join('');
  return withChecksum(PREFIX + secret);
}

export function isWellFormedKey(key: string): boolean {
  return KEY_PATTERN.test(key) && withChecksum(key.slice(0, -CHECKSUM_LENGTH)) === key;
}

/** SHA-256 in hexadecimal: with 190 random bits, a key needs no slow hash. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function withChecksum(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = BASE62[rest % BASE62.length] + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return body + digits;
}
