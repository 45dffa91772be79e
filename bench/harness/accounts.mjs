import { run } from './processes.mjs';
import { built } from './paths.mjs';

/**
 * `small`, `medium` and `large` are only read, so they keep their sizes;
 * `changing` gets the updates, `growing` the creates.
 */
export const ACCOUNTS = ['small', 'medium', 'large', 'changing', 'growing'];

/** Creates the tables, the accounts and a key for each with the service's command line. */
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
