import { timestamp } from '../../common/time';
import type { ApiKey } from './api-key.entity';
import { generateKey, hashKey } from './key-format';
import type { ScopeName } from '../scope.decorator';

export interface NewApiKey {
  accountId: number;
  name: string;
  /** Default: all, including those added by later versions. */
  scopes?: readonly ScopeName[];
  expires?: Date;
}

/** `allScopes` are those that exist now. */
export function newApiKey(
  { accountId, name, scopes, expires }: NewApiKey,
  allScopes: readonly ScopeName[],
): { key: string; row: Partial<ApiKey> } {
  const key = generateKey();
  const row = {
    account_id: accountId,
    name,
    key_hash: hashKey(key),
    scopes: (scopes ?? allScopes).join(','),
    has_all_scopes: !scopes,
    expires_datetime: expires ? timestamp(expires) : null,
    datetime: timestamp(),
  };
  return { key, row };
}
