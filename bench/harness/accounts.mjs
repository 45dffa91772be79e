import { run } from './processes.mjs';
import { built } from './paths.mjs';

/**
 * Whose records they are. `small`, `medium` and `large` are only read, so that they keep their sizes;
 * `changing` is updated, and `growing` gets what is created.
 */
export const ACCOUNTS = ['small', 'medium', 'large', 'changing', 'growing'];

/** Makes the tables, the accounts and a key for each, all with the service's own command line. */
export async function makeAccounts(env) {
  const frontdesk = (...args) => run(process.execPath, [built('cli.js'), ...args], { env, cwd: env.HOME });
  await frontdesk('migrate');
  const accounts = {};
  for (const name of ACCOUNTS) {
    const { id } = JSON.parse(await frontdesk('accounts', 'create', name, '--json'));
    const { key } = JSON.parse(await frontdesk('keys', 'create', '--account', name, '--json'));
    accounts[name] = { id, key };
  }
  return accounts;
}
