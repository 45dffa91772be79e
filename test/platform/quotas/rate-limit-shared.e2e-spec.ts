/** @mysql never */
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { withApplication } from '../../support/http/application';
import type { Client } from '../../support/http/client';
import { holdTimeouts } from '../../support/jest/clock';
import { createDatabase, type TestDatabase } from '../../support/servers/database';
import { expectErrors } from '../../support/http/errors';
import { freePort } from '../../support/servers/free-port.cjs';
import { DOMAINS } from '../../support/areas/records';
import { NO_REDIS, RedisServer, triesRedis, withRedis } from '../../support/servers/redis-server';
import { longTest } from '../../support/jest/size';

if (triesRedis) tryShared();
else {
  process.stderr.write(`\n${NO_REDIS}\n`);
  test.skip(NO_REDIS, () => undefined);
}

function tryShared() {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase();
  });

  afterAll(() => database.drop());

  /** Two applications on one database and one Redis, and the client of one account at each. */
  async function withTwo(redisUrl: string, limit: number, work: (one: Client, other: Client) => Promise<void>): Promise<void> {
    const env = { ...database.env, RATE_LIMIT: String(limit), REDIS_URL: redisUrl };
    await withApplication(env, (first) =>
      withApplication(env, async (second) => {
        const newClients = async () => {
          const { client, key } = await first.createAccount();
          return [client, second.client(key)] as const;
        };
        // On a busy machine, Redis connects after the start.
        while (!(await areShared(...(await newClients())))) await pause(50);
        await work(...(await newClients()));
      }),
    );
  }

  async function remaining(client: Client): Promise<number> {
    const { status, headers } = await client.get(DOMAINS);
    expect(status).toBe(200);
    return Number(/r=(\d+)/.exec(headers.ratelimit)![1]);
  }

  /** Whether both applications share their counts. */
  async function areShared(one: Client, other: Client): Promise<boolean> {
    return (await remaining(one)) - 1 === (await remaining(other));
  }

  test('two processes share an account’s limit through Redis', async () => {
    await withRedis((redis) =>
      withTwo(redis.url, 4, async (one, other) => {
        holdTimeouts(); // after 200 ms without a reply from Redis, requests are counted in memory
        try {
          expect(await remaining(one)).toBe(3);
          expect(await remaining(other)).toBe(2);
          expect(await remaining(one)).toBe(1);
          expect(await remaining(other)).toBe(0);
          for (const client of [one, other]) expectErrors(await client.get(DOMAINS), { code: 'rate_limited' });
        } finally {
          jest.useRealTimers(); // otherwise stopping would never end after a failure
        }
      }),
    );
  });

  test('requests are counted in memory while Redis is down, with one warning per process', async () => {
    const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    await withRedis((redis) =>
      withTwo(redis.url, 1_000, async (one, other) => {
        await redis.kill();
        const answers = await Promise.all(Array.from({ length: 50 }, () => remaining(one)));
        expect(Math.min(...answers)).toBe(950);
        await remaining(other);
        const connects = jest.spyOn(Redis.prototype, 'connect');
        while (connects.mock.calls.length < 3) await pause(50);
        await remaining(one);
        const ofRedis = warnings.mock.calls.filter(([fields]) => String((fields as { message?: string }).message).startsWith('Redis'));
        expect(ofRedis).toEqual(Array(2).fill([expect.objectContaining({ reason: expect.any(String) as string })]));

        await redis.begin();
        while (!(await areShared(one, other))) await pause(50);
      }),
    );
  });

  test('only the first request waits for a Redis that hangs', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    await withRedis((redis) =>
      withTwo(redis.url, 1_000, async (one, other) => {
        redis.freeze();
        const counting = jest.spyOn(RateLimiterRedis.prototype, 'consume');
        for (let count = 0; count < 25; count++) await remaining(one);
        const counted = await Promise.allSettled(counting.mock.results.map(({ value }) => value as Promise<unknown>));
        const reasons = counted.map((result) => String(result.status === 'rejected' && result.reason));
        expect(reasons.filter((reason) => reason.includes('timed out'))).toHaveLength(1);

        redis.thaw();
        while (!(await areShared(one, other))) await pause(50);
      }),
    );
  });

  longTest('the service reconnects to a Redis that hung for long', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    await withRedis((redis) =>
      withTwo(redis.url, 10_000, async (one, other) => {
        redis.freeze();
        const connects = jest.spyOn(Redis.prototype, 'connect');
        while (connects.mock.calls.length < 2) await remaining(one);
        redis.thaw();
        while (!(await areShared(one, other))) await pause(50);
      }),
    );
  });

  test.each(['down', 'frozen'])('the service starts with Redis %s and counts in memory', async (state) => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const redis = state === 'frozen' ? await RedisServer.start() : undefined;
    redis?.freeze();
    const env = { ...database.env, RATE_LIMIT: '2', REDIS_URL: redis?.url ?? `redis://127.0.0.1:${await freePort()}` };
    await withApplication(env, async (application) => {
      const { client } = await application.createAccount();
      expect(await remaining(client)).toBe(1);
      expect(await remaining(client)).toBe(0);
      expectErrors(await client.get(DOMAINS), { code: 'rate_limited' });
    });
    redis?.thaw();
    await redis?.kill();
  });

  test('a wrong Redis password is logged as a warning, without its value', async () => {
    const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const secret = ['--requirepass', 'right'];
    await withRedis(
      async ({ port }) => {
        const env = { ...database.env, RATE_LIMIT: '2', REDIS_URL: `redis://:canary@127.0.0.1:${port}/0` };
        await withApplication(env, async (application) => {
          expect(await remaining((await application.createAccount()).client)).toBe(1);
        });
      },
      ...secret,
    );
    expect(JSON.stringify(warnings.mock.calls)).toContain('WRONGPASS');
    expect(JSON.stringify(warnings.mock.calls)).not.toContain('canary');
  });
}
