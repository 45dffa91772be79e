import type { INestApplicationContext } from '@nestjs/common';
import { AccountsService } from '../../../auth/accounts/accounts.service';
import { DomainsService } from '../../../domains/domains.service';
import { OperatorVerifications } from '../../../domains/verification/operator-verifications';
import type { VerificationStatus } from '../../../domains/verification/verification-status';
import { VerificationTokens } from '../../../domains/verification/verification-tokens';
import { txtRecord } from '../../../domains/verification/verification.dto';
import type { JsonOption } from '../arguments';
import { printFields, printJson, printList, printNotice } from './output';
import { findAccountId, withServices } from './with-services';

interface ListOptions extends JsonOption {
  account?: string;
  status?: VerificationStatus;
}

export const list = withServices(async (app, { account, status, json }: ListOptions) => {
  const nameOf = await app.get(AccountsService).names();
  const accountId = await app.get(AccountsService).findId(account);
  const domains = await app.get(OperatorVerifications).list({ accountId, status });
  const rows = domains.map(({ id, host, account_id, ...domain }) => {
    return { id, name: host, account: nameOf(account_id), ...domain };
  });
  printList(rows, json);
});

export const show = withServices(async (app, id: number, { json }: JsonOption) => {
  const { account_id, records, problems, ...domain } = await app.get(OperatorVerifications).show(id);
  const fields = { ...domain, account: (await app.get(AccountsService).names())(account_id) };
  if (json) return printJson({ ...fields, records, problems });
  printFields(fields);
  printList(records.map(({ type, name, value }) => ({ record: type, name, value })));
  if (problems.length > 0) process.stdout.write('\n');
  printList(problems.map(({ code, detail }) => ({ problem: code, detail })));
});

export const enable = withServices((app, id: number) => setEnabled(app, id, true));
export const disable = withServices((app, id: number) => setEnabled(app, id, false));

async function setEnabled(app: INestApplicationContext, id: number, isEnabled: boolean): Promise<void> {
  await app.get(DomainsService).setEnabled(id, isEnabled);
  printNotice(`${isEnabled ? 'Enabled' : 'Disabled'} domain ${id}.`);
}

/** Only the token goes to standard output. */
export const printToken = withServices(async (app, host: string, { account, json }: JsonOption & { account: string }) => {
  const token = await app.get(VerificationTokens).tokenOf(await findAccountId(app, account), host);
  const { type, name, value } = txtRecord(host, token);
  if (json) return printJson({ host, token, record: { type, name, value } });
  process.stdout.write(`${token}\n`);
  printNotice(`Set a ${type} record at ${name} with the value ${value}`);
});

export const verify = withServices(async (app, id: number) => {
  await app.get(OperatorVerifications).verify(id);
  printNotice(`Domain ${id} is verified until its host changes.`);
});

export const unverify = withServices(async (app, id: number) => {
  const wasVerified = await app.get(OperatorVerifications).unverify(id);
  printNotice(wasVerified ? `Domain ${id} is no longer verified.` : `Domain ${id} was not verified; nothing changed.`);
});

export const release = withServices(async (app, host: string, { force = false }: { force?: boolean }) => {
  const { id, accountId } = await app.get(OperatorVerifications).release(host, force);
  printNotice(`Domain ${id} of account ${accountId} was deleted; ${host} is free.`);
});
