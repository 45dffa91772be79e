import { resolve } from 'node:path';
import { rootCertificates } from 'node:tls';
import { Config } from '../../../src/platform/config/config';
import { problemsOf } from '../../support/http/config';
import { useTemporaryFolder } from '../../support/jest/temporary-folder';

const KEY = Buffer.alloc(32, 7).toString('base64');
const MYSQL = 'mysql://user:p%40ss@db.example.com:3307/frontdesk';

test('an empty environment has the documented defaults', () => {
  expect(new Config({})).toEqual({
    port: 3000,
    host: '0.0.0.0',
    publicUrl: 'http://localhost:3000',
    lacksPublicUrl: false,
    keepAliveMs: 620_000,
    database: { type: 'sqlite', file: resolve('data/frontdesk.sqlite') },
    databasePoolSize: 10,
    maxInFlight: 10,
    workers: 1,
    migrations: 'auto',
    secretsKeys: [],
    extensions: [],
    logLevel: 'info',
    console: true,
    corsOrigins: new Set(),
    rateLimit: undefined,
    redisUrl: undefined,
    metricsPort: undefined,
    metricsHost: '127.0.0.1',
    metricsAllowedHosts: [],
    demo: true,
    outbound: { allow: [], dnsServers: [] },
    channels: { telegramApiUrl: 'https://api.telegram.org', twilioApiUrl: 'https://api.twilio.com', twilioCallLanguage: 'en-US' },
    deliveries: {
      waitsMs: [5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000],
      concurrency: 256,
      dailyLimits: new Map(Object.entries({ email: 1_000, twilio: 200, twilio_call: 50, whatsapp: 200 })),
      keepDays: 30,
      jitter: 0.1,
    },
    eventsKeepDays: 30,
    domains: { checks: true, max: undefined },
    maxHandlers: undefined,
    edge: { port: undefined, host: '127.0.0.1', target: undefined },
  });
});

test.each([
  ['Edge.Example.NET.', { name: 'edge.example.net' }],
  ['203.0.113.7, 2001:db8::7,203.0.113.7', { addresses: ['203.0.113.7', '2001:db8::7'] }],
])('EDGE_TARGET=%s is accepted', (EDGE_TARGET, target) => expect(new Config({ EDGE_TARGET }).edge.target).toEqual(target));

test('PUBLIC_URL defaults to PORT on localhost and loses trailing slashes', () => {
  expect(new Config({ PORT: '8080' }).publicUrl).toBe('http://localhost:8080');
  expect(new Config({ PUBLIC_URL: 'https://desk.example.com/base//' }).publicUrl).toBe('https://desk.example.com/base');
});

test('an empty variable counts as unset', () => {
  expect(new Config({ PORT: '', PUBLIC_URL: ' ', DATABASE_URL: '', CORS_ORIGINS: '' })).toEqual(new Config({}));
});

test.each([
  [MYSQL, { host: 'db.example.com', port: 3307, user: 'user', password: 'p@ss', database: 'frontdesk' }],
  ['mysql://a%40b:p%2Fw@[::1]/desk', { host: '::1', port: 3306, user: 'a@b', password: 'p/w', database: 'desk' }],
])('DATABASE_URL=%s is parsed and percent-decoded', (DATABASE_URL, server) =>
  expect(new Config({ DATABASE_URL, SECRETS_KEY: KEY }).database).toEqual({ type: 'mysql', server }),
);

test('SECRETS_KEY and CORS_ORIGINS are comma-separated lists', () => {
  const config = new Config({
    SECRETS_KEY: `${KEY}, ${Buffer.alloc(32, 8).toString('base64')}`,
    CORS_ORIGINS: 'https://a.example.com,http://localhost:5173 ,',
  });
  expect(config.secretsKeys).toEqual([Buffer.alloc(32, 7), Buffer.alloc(32, 8)]);
  expect(config.corsOrigins).toEqual(new Set(['https://a.example.com', 'http://localhost:5173']));
});

test.each(['redis://h', 'rediss://h:6380', 'redis://:p%40ss@h:6379/', 'redis://u:p@[::1]:6379/15'])(
  'REDIS_URL=%s is accepted',
  (REDIS_URL) => expect(new Config({ REDIS_URL }).redisUrl).toBe(REDIS_URL),
);

test('OUTBOUND_ALLOW and DNS_SERVERS are comma-separated lists', () => {
  const { outbound } = new Config({
    OUTBOUND_ALLOW: '10.1.0.0/16, fd00::/8,127.0.0.1/32,::1/128,0.0.0.0/0,::/0,2001:DB8:0::/32,',
    DNS_SERVERS: '10.0.0.2, 10.0.0.3:5353,fd00::2,[fd00::3],[fd00::4]:53,',
  });
  expect(outbound).toEqual({
    allow: ['10.1.0.0/16', 'fd00::/8', '127.0.0.1/32', '::1/128', '0.0.0.0/0', '::/0', '2001:DB8:0::/32'],
    dnsServers: ['10.0.0.2', '10.0.0.3:5353', 'fd00::2', '[fd00::3]', '[fd00::4]:53'],
  });
});

test('METRICS_PORT must differ from PORT on a shared address', () => {
  const shared: Record<string, string>[] = [{}, { HOST: '10.0.0.5', METRICS_HOST: '0.0.0.0' }, { HOST: '127.0.0.1' }];
  for (const hosts of shared) {
    expect(problemsOf({ PORT: '9464', METRICS_PORT: '9464', ...hosts })).toEqual(['METRICS_PORT must differ from PORT.']);
  }
  expect(new Config({ PORT: '9464', METRICS_PORT: '9464', HOST: '10.0.0.5' }).metricsPort).toBe(9464);
});

test('EDGE_PORT must differ from the other ports, whatever the addresses', () => {
  const addresses: Record<string, string>[] = [{}, { HOST: '10.0.0.1' }, { HOST: '127.0.0.1', EDGE_HOST: 'localhost' }];
  for (const hosts of addresses) {
    expect(problemsOf({ PORT: '3001', EDGE_PORT: '3001', ...hosts })).toEqual(['EDGE_PORT must differ from PORT.']);
  }
  expect(problemsOf({ METRICS_PORT: '3001', METRICS_HOST: '10.0.0.1', EDGE_PORT: '3001' })).toEqual([
    'EDGE_PORT must differ from METRICS_PORT.',
  ]);
});

test.each([
  'p#ss',
  'p/ss',
  'p?ss',
  '1#2',
  '12/3',
  '1?2',
  'p%ss',
  'p%zz',
  '100%',
  'a@b/c?d',
  'a@b/c#d',
  'a@b/c',
  'a@b?c',
  '#',
  '/',
  '?',
  ':/',
])('the unencoded password %s in DATABASE_URL or REDIS_URL is rejected with advice', (password) => {
  const [problem, ...others] = problemsOf({ DATABASE_URL: `mysql://canary:${password}@db.example.com/canary`, SECRETS_KEY: KEY });
  expect(problem).toMatch(/^DATABASE_URL .*percent-encode .*# is %23/);
  expect([problem, others]).toEqual([expect.not.stringContaining('canary'), []]);
  const encoded = `mysql://user:${encodeURIComponent(password)}@db.example.com/desk`;
  expect(new Config({ DATABASE_URL: encoded, SECRETS_KEY: KEY }).database).toMatchObject({ server: { password } });
  for (const refused of problemsOf({ REDIS_URL: `redis://:${password}@redis.example.com/0` }))
    expect(refused).toMatch(/^REDIS_URL .*percent-encode/);
});

describe('variables that Kubernetes sets for a Service', () => {
  const OF_SERVICES = {
    PORT: 'tcp://10.96.0.10:80',
    EDGE_PORT: 'tcp://10.96.0.12:3001',
    METRICS_PORT: 'tcp://[fd00::1]:9100',
    EDGE_HOST: ' tcp://10.96.0.12:3001',
  };

  test('such variables are ignored and listed in config.ignored', () => {
    const config = new Config({ ...OF_SERVICES, KUBERNETES_PORT: 'tcp://10.96.0.1:443', HOST: '::' });
    expect(config).toEqual(new Config({ HOST: '::' }));
    expect([...config.ignored].sort()).toEqual(Object.keys(OF_SERVICES).sort());
    expect([...new Config({ HOST: '::' }).ignored]).toEqual([]);
  });

  test('such variables do not count towards a required pair', () => {
    expect(problemsOf({ SMTP_URL: 'tcp://10.96.0.12:25', TWILIO_FROM: 'tcp://10.96.0.12:1' })).toEqual([]);
  });
});

test('numbers and switches are parsed', () => {
  const env = { RATE_LIMIT: '600', METRICS_PORT: '9464', MAX_HANDLERS: '7', MAX_DOMAINS: '8', DOMAIN_CHECKS: 'off' };
  expect(new Config(env)).toMatchObject({ rateLimit: 600, metricsPort: 9464, maxHandlers: 7, domains: { max: 8, checks: false } });
});

test.each([
  ['PORT', ['x', '-1', '65536', '1.5', '1e3', '0x10']],
  [
    'PUBLIC_URL',
    [
      ...[
        'x',
        'ftp://a.example',
        'localhost:3000',
        'https://a.example/?x',
        'https://a.example/?',
        'https://a.example/#x',
        'http:a.example',
      ],
      'https://u:p@a.example',
      'https:\\\\a.example',
      'https://a\texample.com',
      'https://a.example/a b',
    ],
  ],
  [
    'DATABASE_URL',
    [
      'x',
      'sqlite:',
      'postgres://u:p@h/d',
      'mysql://h/d',
      'mysql://h/',
      'mysql://u:p@h',
      'mysql://u:p@h/',
      'mysql://u:p@h/a/b',
      'mysql://u:p%zz@h/d',
      'mysql://u:p@h/d#x',
    ],
  ],
  ['DATABASE_POOL_SIZE', ['0', '-1', 'x', '1001']],
  ['KEEP_ALIVE_SECONDS', ['0', '-1', 'x', '1.5', '86401']],
  ['MIGRATIONS', ['on', 'AUTO']],
  ['SECRETS_KEY', ['x', KEY.slice(4), `${KEY},x`, 'passwordpasswordpasswordpasswordpassword123', `****${KEY}`]],
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
  [
    'OUTBOUND_ALLOW',
    [
      'x',
      '10.0.0.1',
      '10.1.0.0/8',
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0.0/x',
      '10.0.0.0/-1',
      '10.0/16',
      '010.0.0.0/8',
      '10.0.0.0/8/8',
      '::1',
      'fd00::1/8',
      '::/129',
      '[fd00::]/8',
      'fe80::%1/64',
      '10.0.0.0/8,x',
      '10.0.0.0/8;fd00::/8',
      'example.com/24',
    ],
  ],
  [
    'DNS_SERVERS',
    [
      'x',
      'dns.example.com',
      '10.0.0',
      '10.0.0.2:',
      '10.0.0.2:0',
      '10.0.0.2:65536',
      '10.0.0.2:x',
      '[10.0.0.2]',
      '10.0.0.2,x',
      '[fd00::2]:',
      '[fd00::2]:0',
      'fd00::2]:53',
      'udp://10.0.0.2',
      '10.0.0.2 10.0.0.3',
      '10.0.0.2:53:53',
    ],
  ],
  ['WORKERS', ['0', 'many', '1.5', '2']], // on SQLite
  ['METRICS_PORT', ['0', '-1', 'x', '65536']],
  ['METRICS_ALLOWED_HOSTS', ['*', '*.example.com', 'a:9464', 'http://a', '[::1]', 'a b', 'a/b', '-a', 'a,b:1', 'é.example']],
  ['DEMO', ['no', 'true', 'OFF']],
  ['MAX_HANDLERS', ['0', 'x']],
  ['MAX_DOMAINS', ['0', 'x']],
  ['DOMAIN_CHECKS', ['no']],
  [
    'EDGE_TARGET',
    [
      'edge',
      'http://edge.example.net',
      '203.0.113.256',
      '1.2.3',
      '203.0.113.7:80',
      '203.0.113.7,edge.example.net',
      'fe80::1%eth0',
      'a_b.example.net',
    ],
  ],
  ['CORS_ORIGINS', ['*', 'a.example.com', 'https://a.example.com/', 'https://a.example.com/path', 'null', 'https://A.example.com']],
])('%s rejects %j', (name, values) => {
  for (const value of values) {
    const problems = problemsOf({ [name]: value });
    expect([value, problems.length]).toEqual([value, 1]);
    expect(problems[0]).toMatch(new RegExp(`^${name} must be `));
  }
});

test('all invalid variables are reported by name, without their values', () => {
  const wrong = {
    PORT: 'canary',
    DATABASE_URL: 'mysql://root:canary@h',
    LOG_LEVEL: 'canary',
    REDIS_URL: 'redis://:canary@h?x',
    OUTBOUND_ALLOW: 'canary',
  };
  const problems = problemsOf(wrong);
  expect(problems.map((problem) => problem.split(' ')[0])).toEqual(Object.keys(wrong));
  expect(problems.join()).not.toContain('canary');
});

test('SECRETS_KEY is required on MySQL', () => {
  expect(problemsOf({ DATABASE_URL: MYSQL })).toEqual([expect.stringMatching(/^SECRETS_KEY is required on MySQL/)]);
});

describe('the parameters of a MySQL DATABASE_URL', () => {
  const { path, file } = useTemporaryFolder();
  const read = (query: string, host = 'db.example.com') => {
    const { database } = new Config({ DATABASE_URL: `mysql://u:p@${host}/desk?${query}`, SECRETS_KEY: KEY });
    return database.type === 'mysql' ? database.server : undefined;
  };
  const problemOf = (query: string, host = 'db.example.com') =>
    problemsOf({ DATABASE_URL: `mysql://u:p@${host}/desk?${query}`, SECRETS_KEY: KEY }).join();

  test('ssl=true verifies the certificate chain and name, ssl=verify-ca only the chain', () => {
    expect(read('ssl=true')?.ssl).toEqual({ rejectUnauthorized: true, verifyIdentity: true });
    expect(read('ssl=verify-ca', '10.0.0.5')?.ssl).toEqual({ rejectUnauthorized: true, verifyIdentity: false });
    expect(read('ssl=no-verify', '10.0.0.5')?.ssl).toEqual({ rejectUnauthorized: false, verifyIdentity: false });
  });

  test('ssl-ca implies ssl=true, and its file is read at startup', () => {
    const ca = rootCertificates.slice(0, 2).join('\n');
    const caFile = encodeURIComponent(file('ca.pem', ca));
    expect(read(`ssl-ca=${caFile}`)?.ssl).toEqual({ rejectUnauthorized: true, verifyIdentity: true, ca });
    expect(read(`ssl=verify-ca&ssl-ca=${caFile}`)?.ssl).toEqual({ rejectUnauthorized: true, verifyIdentity: false, ca });
    expect(problemOf(`ssl=no-verify&ssl-ca=${caFile}`)).toMatch(/^DATABASE_URL must not have ssl-ca with ssl=no-verify/);
    file('no-ca.pem', KEY);
    for (const name of ['none.pem', 'no-ca.pem', '']) {
      expect(problemOf(`ssl-ca=${path(name)}`)).toMatch(
        /^DATABASE_URL has an invalid ssl-ca: must be a PEM file with the CA's certificate \(E[A-Z_]+\)\.$/,
      );
    }
  });

  test('socket requires an absolute path, the host localhost and no TLS', () => {
    expect(read('socket=/run/mysqld/mysqld.sock', 'localhost')).toMatchObject({ socketPath: '/run/mysqld/mysqld.sock' });
    expect(problemOf('socket=mysqld.sock', 'localhost')).toMatch(/^DATABASE_URL has an invalid socket: must be an absolute path/);
    for (const [query, host] of [
      ['socket=/s', 'db.example.com'],
      ['socket=/s', 'localhost:3306'],
      ['socket=/s&ssl=true', 'localhost'],
    ]) {
      expect(problemOf(query, host)).toMatch(/^DATABASE_URL with a socket must have the host localhost/);
    }
  });

  test.each(['ssl=false', 'ssl=', 'ssl=constructor', 'ssl={}', 'ssl=true&ssl=no-verify', 'sslmode=require', 'charset=latin1'])(
    '%s is rejected with a message of its own',
    (query) => expect(problemOf(query)).toMatch(/^DATABASE_URL (accepts only the parameters|has an invalid ssl:) /),
  );

  test.each(['10.0.0.5', '[::1]'])('ssl=true rejects the address %s', (host) =>
    expect(problemOf('ssl=true', host)).toMatch(/^DATABASE_URL needs a host name for ssl=true/),
  );
});

describe('a secret in a file', () => {
  const { path, file } = useTemporaryFolder();

  test('the trailing newline of a secret’s file is not part of the secret', () => {
    const files = { DATABASE_URL_FILE: file('url', `${MYSQL}\n`), SECRETS_KEY_FILE: file('key', `${KEY}\r\n`) };
    expect(new Config(files)).toEqual(new Config({ DATABASE_URL: MYSQL, SECRETS_KEY: KEY }));
  });

  test.each(['DATABASE_URL', 'SECRETS_KEY'])(
    '%s_FILE is rejected beside the variable itself, and with an invalid, empty or unreadable file',
    (name) => {
      const variable = `${name}_FILE`;
      const problem = (path: string) => problemsOf({ [variable]: path });
      const value = name === 'SECRETS_KEY' ? KEY : 'sqlite:x.sqlite';
      expect(problemsOf({ [name]: value, [variable]: file('both', value) })).toEqual([
        expect.stringContaining(`${name} and ${variable} are both set`),
      ]);
      expect(problem(file('wrong', 'canary'))).toEqual([expect.stringMatching(new RegExp(`^${name}, read from ${variable}, must be `))]);
      expect(problem(file('empty', '\n'))).toEqual([`${variable} names an empty file.`]);
      expect(problem(path('canary'))).toEqual([`${variable} names a file that can't be read (ENOENT).`]);
      expect(problem(path())).toEqual([`${variable} names a file that can't be read (EISDIR).`]);
    },
  );

  test('an unreadable SECRETS_KEY_FILE is not also reported as missing', () => {
    const problems = problemsOf({ DATABASE_URL: MYSQL, SECRETS_KEY_FILE: path('none') });
    expect(problems).toEqual(["SECRETS_KEY_FILE names a file that can't be read (ENOENT)."]);
  });
});
