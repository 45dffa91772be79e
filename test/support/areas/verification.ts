import type { TestAccount, TestApplication } from '../http/application';
import { DOMAINS } from './records';
import { zone } from './zone';

export interface VerificationBody {
  status: string;
  checked: string | null;
  next_check: string | null;
  records: { type: string; name: string; value: string }[];
  problems: { code: string; detail: string }[];
  certificate: { issuer: string; expires: string } | null;
}

export const pathOf = (id: number) => `${DOMAINS}/${id}/verification`;

export async function readVerification({ client }: TestAccount, id: number): Promise<VerificationBody> {
  return ((await client.get(pathOf(id)).expect(200)).body as { data: VerificationBody }).data;
}

/** Requests a check of the domain. */
export async function check({ client }: TestAccount, id: number): Promise<VerificationBody> {
  return ((await client.post(pathOf(id)).expect(200)).body as { data: VerificationBody }).data;
}

/** Deletes the domain's row, as if other software had inserted the domain. */
export async function deleteVerification({ dataSource }: TestApplication, id: number): Promise<void> {
  await dataSource.query('DELETE FROM domain_verifications WHERE domain_id = ?', [id]);
}

/** Sets the TXT record that verifies the domain. */
export async function setTxt(account: TestAccount, id: number): Promise<void> {
  const [{ name, value }] = (await readVerification(account, id)).records;
  zone.set(name, 'TXT', [value]);
}

export function codesOf({ problems }: VerificationBody): string[] {
  return problems.map(({ code }) => code);
}
