import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, type Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock';
import { RecordNotFound, RequestError } from '../../platform/common/errors';
import { Page, type PageRequest } from '../../platform/common/records';
import type { WriteContext } from '../../platform/common/write-context';
import { Records } from '../../platform/database/records/records';
import { type Transaction, WriteExecutor } from '../../platform/database/writes/transactions';
import { insufficientScope, invalidKey } from '../challenges';
import { KEYS_WRITE, RoutePolicies, type ScopeName } from '../route-policies';
import { ApiKeyRecord, type CreateApiKey, type CurrentApiKey, type NewApiKey, StoredApiKey } from './api-key.dto';
import { ApiKey } from './api-key.entity';
import { ApiKeysService, type Caller } from './api-keys.service';

/** Lets an account manage its own API keys. */
@Injectable()
export class AccountKeysService {
  constructor(
    @InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>,
    private readonly apiKeys: ApiKeysService,
    private readonly policies: RoutePolicies,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
    records: Records,
  ) {
    records.table<StoredApiKey>(ApiKey, StoredApiKey, {
      noun: 'key',
      events: ['create', 'revoke'],
      present: (key) => (key.revoked_datetime ? null : toRecord(key)),
      presentedAs: ApiKeyRecord,
    });
  }

  /** A page of the account's keys, without revoked ones. */
  async findPage(accountId: number, request: PageRequest): Promise<Page<ApiKeyRecord>> {
    const { page, size } = request;
    const skip = Math.min((page - 1) * size, Number.MAX_SAFE_INTEGER);
    const where = { account_id: accountId, revoked_datetime: IsNull() };
    const [keys, total] = await this.keys.findAndCount({ where, order: { id: 'ASC' }, skip, take: size });
    return new Page(keys.map(toRecord), total);
  }

  /** The caller's own key. @throws RecordNotFound when its account has just been deleted */
  async findCurrent({ keyId }: Caller): Promise<CurrentApiKey> {
    const key = await this.keys.findOne({ where: { id: keyId }, relations: { account: true } });
    if (!key) throw new RecordNotFound('key');
    return { ...toRecord(key), account: key.account.name };
  }

  /**
   * @throws RequestError 400 for an unknown scope, `keys:write`, or an expiry after the caller's; RequestError 403 for a scope that the
   * caller lacks; RequestError 401 for a key that is no longer valid
   */
  create(context: WriteContext, { name, scopes: given, expires }: CreateApiKey): Promise<NewApiKey> {
    const { accountId } = context;
    const scopes = this.checkScopes(context, given);
    return this.executor.run(async (transaction) => {
      const creator = await this.requireValid(context, transaction);
      return this.apiKeys.insert(transaction, { accountId, name, scopes, expires: this.checkExpiry(creator, expires) }, context);
    });
  }

  /** @throws RecordNotFound, RequestError 401 for a key that is no longer valid */
  revoke(context: WriteContext, id: number): Promise<number> {
    return this.executor.run(async (transaction) => {
      await this.requireValid(context, transaction);
      if (!(await this.apiKeys.revokeWithin(transaction, context, id))) throw new RecordNotFound('key');
      return id;
    });
  }

  /** Bypasses the cache: a revoked key stays cached for up to a second, and keys it created meanwhile would outlive it. @throws RequestError 401 */
  private async requireValid({ keyId }: WriteContext, { manager }: Transaction): Promise<ApiKey> {
    const key = keyId === null ? undefined : await this.apiKeys.findValid(keyId, manager);
    if (!key) throw invalidKey();
    return key;
  }

  /** A key's expiry: by default, and at the latest, that of the key that creates it. */
  private checkExpiry({ expires_datetime: latest }: ApiKey, lifetimeMs?: number): Date | undefined {
    const end = latest === null ? Infinity : Date.parse(`${latest.replace(' ', 'T')}Z`);
    const expires = lifetimeMs === undefined ? end : this.clock.now() + lifetimeMs;
    if (expires <= end) return expires === Infinity ? undefined : new Date(expires);
    const detail = `expires must not be after ${latest}, when the key that makes this one expires.`;
    throw RequestError.of('invalid_parameter', detail, { in: 'form', name: 'expires' });
  }

  /** A new key's scopes; by default, all that the caller may grant. */
  private checkScopes({ scopes: held }: WriteContext, given?: readonly ScopeName[]): readonly ScopeName[] {
    const all = this.policies.allScopes;
    const isHeld = (scope: ScopeName): boolean => held?.has(scope) ?? true;
    const scopes = given ?? all.filter(isHeld);
    const source = { in: 'form', name: 'scopes' } as const;
    if (scopes.length === 0)
      throw RequestError.of('invalid_parameter', `This key has no scope but ${KEYS_WRITE}, which it can't give.`, source);
    if (scopes.some((scope) => !all.includes(scope)))
      throw RequestError.of('invalid_parameter', `scopes must be of these, with commas between: ${all.join(',')}.`, source);
    const missing = scopes.filter((scope) => !isHeld(scope));
    if (missing.length > 0) throw insufficientScope(scopes, missing);
    return scopes;
  }
}

function toRecord({ id, name, scopes, has_all_scopes, expires_datetime, last_used_datetime, datetime }: StoredApiKey): ApiKeyRecord {
  const names = has_all_scopes ? ['*'] : scopes.split(',');
  return { id, name, scopes: names, expires: expires_datetime, last_used: last_used_datetime, datetime };
}
