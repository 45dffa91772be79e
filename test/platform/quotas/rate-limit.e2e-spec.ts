/** @mysql never */
import type { Response } from 'supertest';
import { type TestAccount, useApplication } from '../../support/http/application';
import { stopClock } from '../../support/jest/clock';
import { expectErrors } from '../../support/http/errors';
import { DOMAINS, HANDLERS, newHost } from '../../support/areas/records';
import { RouteTable } from '../../support/http/route-table';
import { withId } from '../../support/http/routes';

const POLICY = '"account";q=3;w=60';

/** The account's remaining requests, and the seconds until its window resets. */
function quotaOf({ headers }: Response): { remaining: number; seconds: number } {
  expect(headers['ratelimit-policy']).toBe(POLICY);
  const [, remaining, seconds] = /^"account";r=(\d+);t=(\d+)$/.exec(headers.ratelimit)!;
  return { remaining: Number(remaining), seconds: Number(seconds) };
}

describe('with RATE_LIMIT=3', () => {
  const { application } = useApplication({ RATE_LIMIT: '3' });
  let account: TestAccount;

  beforeEach(async () => {
    account = await application().createAccount();
  });

  async function spend(): Promise<void> {
    for (let count = 0; count < 3; count++) await account.client.get(DOMAINS).expect(200);
  }

  test('the fourth request within a minute is a 429 with Retry-After', async () => {
    const clock = stopClock();
    for (const left of [2, 1, 0]) {
      const answer = await account.client.get(DOMAINS);
      expect(answer.status).toBe(200);
      expect(quotaOf(answer).remaining).toBe(left);
    }
    clock.move(7_000);
    const refused = await account.client.get(DOMAINS);
    expectErrors(refused, { code: 'rate_limited', detail: 'An account may send 3 requests a minute.' });
    const { remaining, seconds } = quotaOf(refused);
    expect([remaining, seconds]).toEqual([0, 53]);
    expect(refused.headers['retry-after']).toBe(String(seconds));
  });

  test('requests that fail with 400, 403 or 404 count, too', async () => {
    const { client } = await application().createKey(account.id, { scopes: ['domains:read'] });
    const invalid = await client.get(`${DOMAINS}?page=x`);
    const unknown = await client.get(`${DOMAINS}/999999999`);
    const scopeless = await client.get(HANDLERS);
    expect([invalid, unknown, scopeless].map(({ status }) => status)).toEqual([400, 404, 403]);
    expect([invalid, unknown, scopeless].map((answer) => quotaOf(answer).remaining)).toEqual([2, 1, 0]);
    expectErrors(await client.get(HANDLERS), { code: 'rate_limited' });
  });

  test('the keys of an account share a limit, and other accounts have their own', async () => {
    await spend();
    const { client } = await application().createKey(account.id);
    expectErrors(await client.get(DOMAINS), { code: 'rate_limited' });
    const other = await application().createAccount();
    await other.client.get(DOMAINS).expect(200);
  });

  test('every authenticated route responds with 429 over the limit, before it reads a body or writes', async () => {
    await spend();
    for (const route of (await RouteTable.of(application())).closed) {
      expectErrors(await account.client.send(route.method, withId(route, 1)), { code: 'rate_limited' });
    }
    const host = newHost();
    expectErrors(await account.client.post(DOMAINS, { host }), { code: 'rate_limited' });
    expect((await application().rows('domains')).map((row) => row.host)).not.toContain(host);
  });

  test('a request without a valid key is not counted and gets no RateLimit headers', async () => {
    for (let count = 0; count < 5; count++) {
      for (const { status, headers } of [
        await application().client().get('/health/live'),
        await application().client().get(DOMAINS),
        await application().client('fd_unknown').get(DOMAINS),
      ]) {
        expect([200, 401]).toContain(status);
        expect(Object.keys(headers as object).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
      }
    }
  });

  test('of twenty concurrent requests, only three succeed', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => account.client.get(DOMAINS)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(17);
  });
});

describe('without RATE_LIMIT', () => {
  const { application } = useApplication();

  test('responses have no RateLimit headers', async () => {
    const { client } = await application().createAccount();
    const { status, headers } = await client.get(DOMAINS);
    expect(status).toBe(200);
    expect(Object.keys(headers as object).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
  });
});
