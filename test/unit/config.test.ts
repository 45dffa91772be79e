import { resolve } from 'node:path';
import { Config, ConfigError } from '../../src/config';

const KEY = Buffer.alloc(32, 7).toString('base64');
const MYSQL = 'mysql://user:p%40ss@db.example.com:3307/frontdesk';

function problemsOf(env: Record<string, string>): string[] {
  try {
    new Config(env);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message.split('\n');
  }
}

test('an empty environment has the documented defaults', () => {
  expect(new Config({})).toEqual({
    port: 3000,
    host: '0.0.0.0',
    publicUrl: 'http://localhost:3000',
    database: { type: 'sqlite', file: resolve('data/frontdesk.sqlite') },
    databasePoolSize: 10,
    maxInFlight: 10,
    workers: 1,
    migrations: 'auto',
    secretsKeys: [],
    logLevel: 'info',
    corsOrigins: new Set(),
    rateLimit: undefined,
    redisUrl: undefined,
    metricsPort: undefined,
    metricsHost: '127.0.0.1',
  });
});

test('PUBLIC_URL follows PORT, and loses a slash at its end', () => {
  expect(new Config({ PORT: '8080' }).publicUrl).toBe('http://localhost:8080');
  expect(new Config({ PUBLIC_URL: 'https://desk.example.com/base//' }).publicUrl).toBe('https://desk.example.com/base');
});

test('an empty variable is one that is not set', () => {
  expect(new Config({ PORT: '', PUBLIC_URL: ' ', DATABASE_URL: '', CORS_ORIGINS: '' })).toEqual(new Config({}));
});

test('a MySQL database', () => {
  const { database } = new Config({ DATABASE_URL: MYSQL, SECRETS_KEY: KEY });
  const { hostname: host, username: user } = new URL(MYSQL);
  expect(database).toEqual({
    type: 'mysql',
    server: { host, port: Number(new URL(MYSQL).port), user, password: 'p@ss', database: MYSQL.split('/').at(-1) },
  });
});

test('the parts of a MySQL address are decoded, and what frontdesk would not heed is refused', () => {
  const read = (url: string) => new Config({ DATABASE_URL: url, SECRETS_KEY: KEY }).database;
  const server = { host: '::1', port: 3306, user: 'a@b', password: 'p/w', database: 'desk' };
  expect(read('mysql://a%40b:p%2Fw@[::1]/desk')).toEqual({ type: 'mysql', server });
  for (const url of ['mysql://u:p%zz@h/desk', 'mysql://u:p@h/desk?ssl=true', 'mysql://u:p@h/desk#x', 'mysql://h/desk', 'mysql://u:p@h/']) {
    expect(() => read(url)).toThrow(/^DATABASE_URL must be /);
  }
});

test.each([
  'http:example.com',
  'https:\\\\x.example',
  'https://exa\tmple.com',
  'https://x.com/a b',
  'https://x.com/?',
  'https://u:p@x.com',
])('PUBLIC_URL=%j is refused, for links are built from it', (PUBLIC_URL) =>
  expect(() => new Config({ PUBLIC_URL })).toThrow(/^PUBLIC_URL must be /),
);

test.each(['passwordpasswordpasswordpasswordpassword123', `****${KEY}`])('SECRETS_KEY=%s is no base64 of 32 bytes', (SECRETS_KEY) =>
  expect(() => new Config({ SECRETS_KEY })).toThrow(/^SECRETS_KEY must be /),
);

test('several keys and origins stand with commas between', () => {
  const config = new Config({
    SECRETS_KEY: `${KEY}, ${Buffer.alloc(32, 8).toString('base64')}`,
    CORS_ORIGINS: 'https://a.example.com,http://localhost:5173 ,',
  });
  expect(config.secretsKeys).toEqual([Buffer.alloc(32, 7), Buffer.alloc(32, 8)]);
  expect(config.corsOrigins).toEqual(new Set(['https://a.example.com', 'http://localhost:5173']));
});

test.each(['redis://h', 'rediss://h:6380', 'redis://:p%40ss@h:6379/', 'redis://u:p@[::1]:6379/15'])(
  'REDIS_URL=%s is kept as it is',
  (REDIS_URL) => expect(new Config({ REDIS_URL }).redisUrl).toBe(REDIS_URL),
);

test('the limit and the port of the figures are numbers', () => {
  const { rateLimit, metricsPort, metricsHost } = new Config({ RATE_LIMIT: '600', METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' });
  expect([rateLimit, metricsPort, metricsHost]).toEqual([600, 9464, '0.0.0.0']);
});

test.each([
  ['PORT', ['x', '-1', '65536', '1.5', '1e3', '0x10']],
  ['PUBLIC_URL', ['x', 'ftp://a.example', 'localhost:3000', 'https://a.example/?x', 'https://a.example/#x', 'https://u:p@a.example']],
  ['DATABASE_URL', ['x', 'sqlite:', 'postgres://u:p@h/d', 'mysql://h/d', 'mysql://u:p@h', 'mysql://u:p@h/', 'mysql://u:p@h/a/b']],
  ['DATABASE_POOL_SIZE', ['0', '-1', 'x', '1001']],
  ['MIGRATIONS', ['on', 'AUTO']],
  ['SECRETS_KEY', ['x', KEY.slice(4), `${KEY},x`]],
  ['LOG_LEVEL', ['loud', 'INFO']],
  ['MAX_IN_FLIGHT', ['0', '-1', 'x', '10001']],
  ['RATE_LIMIT', ['0', '-1', 'x', '1.5', '1e3', '1000000001']],
  [
    'REDIS_URL',
    [
      'x',
      'http://h:6379',
      'redis:h',
      'redis://',
      'redis:///0',
      'redis://h/x',
      'redis://h/0/1',
      'redis://h?db=1',
      'redis://h#x',
      'redis://u:%zz@h',
    ],
  ],
  ['METRICS_PORT', ['0', '-1', 'x', '65536']],
  ['CORS_ORIGINS', ['*', 'a.example.com', 'https://a.example.com/', 'https://a.example.com/path', 'null', 'https://A.example.com']],
])('%s takes no %j', (name, values) => {
  for (const value of values) {
    const problems = problemsOf({ [name]: value });
    expect([value, problems.length]).toEqual([value, 1]);
    expect(problems[0]).toMatch(new RegExp(`^${name} must be `));
  }
});

test('every wrong variable is named, and no value repeated', () => {
  const wrong = { PORT: 'canary', DATABASE_URL: 'mysql://root:canary@h', LOG_LEVEL: 'canary', REDIS_URL: 'redis://:canary@h?x' };
  const problems = problemsOf(wrong);
  expect(problems.map((problem) => problem.split(' ')[0])).toEqual(Object.keys(wrong));
  expect(problems.join()).not.toContain('canary');
});

test('on MySQL a key for secrets is required', () => {
  expect(problemsOf({ DATABASE_URL: MYSQL })).toEqual([expect.stringMatching(/^SECRETS_KEY is required on MySQL/)]);
});
