import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, LessThanOrEqual, type Repository } from 'typeorm';
import { audit } from '../../database/audit/audit';
import { operatorContext } from '../../common/write-context';
import { timestamp } from '../../common/time';
import { Transactions } from '../../database/writes/transactions';
import { Config } from '../../config/config';
import { OperatorError } from '../accounts/accounts.service';
import { ApiKey } from './api-key.entity';
import type { Caller } from '../caller';
import { Semaphore } from './semaphore';
import { hashKey, isWellFormedKey } from './key-format';
import { type NewApiKey, newApiKey } from './new-api-key';
import { EVERY_SCOPE, type ScopeName } from '../scopes';

/** A revoked key works for at most this long: what was found is asked for again after it. */
const REMEMBERED_MILLISECONDS = 900;
const MAX_REMEMBERED = 10_000;
const LAST_USED_MILLISECONDS = 60_000;
/** What the audit calls them. */
const KEY = 'key';

@Injectable()
export class ApiKeysService {
  private readonly logger = new Logger(ApiKeysService.name);
  private readonly remembered = new Map<string, { caller: Caller; until: number }>();
  private readonly lookUps = new Map<string, Promise<Caller | undefined>>();

  /** The checksum of a key is no secret: keys that were never found may not take all connections. */
  private readonly unknownKeys: Semaphore;

  constructor(
    @InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>,
    private readonly transactions: Transactions,
    { databasePoolSize }: Config,
  ) {
    this.unknownKeys = new Semaphore(Math.ceil(databasePoolSize / 2));
  }

  /** The caller that a key stands for, when it was looked up within the last second. */
  recall(key: string): Caller | undefined {
    const known = this.remembered.get(key);
    return known && performance.now() < known.until ? known.caller : undefined;
  }

  /** The caller that a key stands for, or undefined when it is malformed, unknown, expired or revoked. Requests that come together share a look-up. */
  async authenticate(key: string): Promise<Caller | undefined> {
    const underWay = this.lookUps.get(key);
    if (underWay) return underWay;
    if (!isWellFormedKey(key)) return undefined;
    const isKnown = this.remembered.has(key);
    const lookUp = (isKnown ? this.lookUp(key) : this.unknownKeys.run(() => this.lookUp(key))).finally(() => this.lookUps.delete(key));
    this.lookUps.set(key, lookUp);
    return lookUp;
  }

  /** Makes a key and returns it; it can't be read again later. */
  async create(options: NewApiKey): Promise<{ id: number; key: string }> {
    const { key, row } = newApiKey(options);
    await this.transactions.run(async (manager, statements) => {
      await manager.insert(ApiKey, row);
      await audit(statements, operatorContext(options.accountId), { action: 'create', record: KEY, recordId: row.id! });
    });
    return { id: row.id!, key };
  }

  findAll(accountId?: number): Promise<ApiKey[]> {
    return this.keys.find({
      where: accountId === undefined ? {} : { account_id: accountId },
      relations: { account: true },
      order: { id: 'ASC' },
    });
  }

  /** Ends a key, on every process within a second; one that is revoked already stays so. @throws OperatorError */
  async revoke(id: number): Promise<void> {
    const key = await this.keys.findOneBy({ id });
    if (!key) throw new OperatorError(`There is no key with the id ${id}. See: keys list`);
    await this.transactions.run(async (manager, statements) => {
      const { affected } = await manager.update(ApiKey, { id, revoked_datetime: IsNull() }, { revoked_datetime: timestamp() });
      if (affected) await audit(statements, operatorContext(key.account_id), { action: 'revoke', record: KEY, recordId: id });
    });
  }

  private async lookUp(key: string): Promise<Caller | undefined> {
    const begun = performance.now();
    const row = await this.keys // findOne would select the id first, and then the rest
      .createQueryBuilder('key')
      .innerJoinAndSelect('key.account', 'account')
      .where({ key_hash: hashKey(key) })
      .getOne();
    const now = timestamp();
    this.remembered.delete(key);
    if (!row || row.revoked_datetime || row.account.disabled_datetime || (row.expires_datetime && row.expires_datetime <= now))
      return undefined;
    this.noteUse(row).catch((error: unknown) => this.logger.warn({ message: 'last use of a key not written', err: error }));
    const caller = { accountId: row.account_id, keyId: row.id, scopes: scopesOf(row) };
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
    const left = row.expires_datetime ? Date.parse(`${row.expires_datetime.replace(' ', 'T')}Z`) - Date.now() : Infinity;
    this.remembered.set(key, { caller, until: begun + Math.min(REMEMBERED_MILLISECONDS, left) });
    return caller;
  }

  /** Written at most once a minute a key, so that reading doesn't cost a write. */
  private async noteUse({ id, last_used_datetime }: ApiKey): Promise<void> {
    const longAgo = timestamp(new Date(Date.now() - LAST_USED_MILLISECONDS));
    if (last_used_datetime && last_used_datetime > longAgo) return;
    const which = [
      { id, last_used_datetime: IsNull() },
      { id, last_used_datetime: LessThanOrEqual(longAgo) }, // another process may have been quicker
    ];
    await this.transactions.run((manager) =>
      manager.createQueryBuilder().update(ApiKey).set({ last_used_datetime: timestamp() }).where(which).execute(),
    );
  }
}

function scopesOf({ scopes, has_all_scopes }: ApiKey): Caller['scopes'] {
  return has_all_scopes ? EVERY_SCOPE : new Set(scopes.split(',') as ScopeName[]);
}
