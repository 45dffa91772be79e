import { Dialect } from '../src/database/dialect';
import { type TestAccount, useApplication } from './support/application';
import { insertDomains } from './support/many-domains';
import { DOMAINS, newHost } from './support/records';

const { application } = useApplication();
const MAX_ROUNDS = 50;
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
  await insertDomains(application(), account.id, 4_000);
});

/** Reads the list until no request compares all its records with the filter. */
async function expectRemembered(total: number): Promise<void> {
  const reads = jest.spyOn(application().app.get(Dialect), 'read');
  let rounds = 0;
  for (let isCounted = true; isCounted && rounds < MAX_ROUNDS; rounds++) {
    reads.mockClear();
    const { body } = await account.client.get(`${DOMAINS}?host=${account.id}.filtered`).expect(200);
    expect((body as { meta: { total: number } }).meta.total).toBe(total);
    isCounted = reads.mock.calls.some(([sql]) => /COUNT\(\*\).* WHERE account_id = \? AND INSTR/.test(sql));
  }
  expect(rounds).toBeLessThan(MAX_ROUNDS);
}

test('what a filter lets pass is remembered although no other list is read', async () => {
  await expectRemembered(0);
});

test('it is again soon after a deletion', async () => {
  const id = await account.client.create(DOMAINS, { host: `${account.id}.filtered.${newHost()}` });
  await expectRemembered(1);
  await account.client.delete(`${DOMAINS}/${id}`).expect(200);
  await expectRemembered(0);
});
