import { createRequire } from 'node:module';
import { randomUUID } from 'node:crypto';
import { built } from '../../bench/harness/paths.mjs';

export const { generateKey, hashKey } = createRequire(import.meta.url)(built('auth/accounts/api-keys.service.js'));
const TIME = '2026-11-01 09:30:00';

/** Creates accounts, each with a key that may do everything. */
export async function createAccounts(stage, count) {
  const accounts = [];
  for (let number = 0; number < count; number++) accounts.push(await createAccount(stage, `made ${randomUUID()}`));
  return accounts;
}

/** Inserts an account with SQL: the command line takes a second per account. */
export async function createAccount(stage, name) {
  await stage.query('INSERT INTO accounts (name, datetime) VALUES (?, ?)', [name, TIME]);
  const [{ id }] = await stage.query('SELECT id FROM accounts WHERE name = ?', [name]);
  const { key } = await createKey(stage, id);
  return { id, name, key };
}

/** Inserts a key with all scopes, or with these, comma-separated. */
export async function createKey(stage, accountId, scopes = '') {
  const key = generateKey();
  const values = [accountId, hashKey(key), scopes, scopes === '' ? 1 : 0, TIME];
  await stage.query(
    "INSERT INTO api_keys (account_id, name, key_hash, scopes, has_all_scopes, datetime) VALUES (?, 'key', ?, ?, ?, ?)",
    values,
  );
  const [{ id }] = await stage.query('SELECT id FROM api_keys WHERE key_hash = ?', [hashKey(key)]);
  return { id, key };
}
