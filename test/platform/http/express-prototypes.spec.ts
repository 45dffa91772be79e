import { once } from 'node:events';
import { createServer, get, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import express, { type Express, type Request, type Response } from 'express';
import { JsonAdapter } from '../../../src/platform/http/server/http-server';

// If a test fails after an upgrade of Express, docs/internals/express-prototypes.md says what this service relies on, and the alternative.

/** Every getter and method that Express adds to requests and responses. */
const NAMES = { request: Object.keys(express.request), response: Object.keys(express.response) } as {
  request: (keyof Request)[];
  response: (keyof Response)[];
};
const GETTERS = [
  'baseUrl',
  'fresh',
  'host',
  'hostname',
  'ip',
  'ips',
  'originalUrl',
  'path',
  'protocol',
  'query',
  'secure',
  'stale',
] as const;

type Observer = (request: IncomingMessage, response: ServerResponse) => void;

const plainServer = (app: Express) => createServer(app);
const ourServer = (app: Express): Server => {
  const adapter = new JsonAdapter(app);
  adapter.initHttpServer();
  return adapter.getHttpServer();
};
const variants = [
  ['bare Express', plainServer],
  ['this service', ourServer],
] as const;

test('Express replaces the prototypes of a request and response with app.request and app.response', async () => {
  const { before, after, app } = await prototypesSeen(plainServer);
  expect(before).toEqual([true, true]);
  expect(after).toEqual([app.request, app.response]);
});

test('our requests and responses already have the prototypes of Express, which changes nothing', async () => {
  const seen = await prototypesSeen(ourServer);
  expect(seen.initial[0]).toBe(seen.app.request);
  expect(seen.initial[1]).toBe(seen.app.response);
  expect(seen.after[0]).toBe(seen.initial[0]);
  expect(seen.after[1]).toBe(seen.initial[1]);
});

test.each(variants)('a request in %s has app, its settings, res, next and every getter of Express', async (_, makeServer) => {
  const app = express().set('a setting', 'of this application').enable('trust proxy');
  const report = await ask(app, makeServer, (request, response) => {
    response.json({
      links: [request.app === app, response.app === app, request.res === response, response.req === request, typeof request.next],
      setting: (request.app as Express).get('a setting') as string,
      missing: [...NAMES.request.filter((name) => !(name in request)), ...NAMES.response.filter((name) => !(name in response))],
      values: Object.fromEntries(GETTERS.map((name) => [name, request[name]])),
      methods: [request.get('X-Requested-With'), request.xhr, request.accepts('json'), request.is('json'), request.subdomains],
      types: [request instanceof IncomingMessage, response instanceof ServerResponse],
      locals: { ...response.locals },
    });
  });
  expect(report).toEqual({
    links: [true, true, true, true, 'function'],
    setting: 'of this application',
    missing: [],
    values: {
      baseUrl: '',
      fresh: false,
      host: 'api.frontdesk.test',
      hostname: 'api.frontdesk.test',
      ip: '10.0.0.1',
      ips: ['10.0.0.1'],
      originalUrl: '/a/b?c=d',
      path: '/a/b',
      protocol: 'https',
      query: { c: 'd' },
      secure: true,
      stale: true,
    },
    methods: ['XMLHttpRequest', true, 'json', null, ['api']],
    types: [true, true],
    locals: {},
  });
});

test('two applications in one process keep their own requests', async () => {
  for (const app of [express(), express()]) {
    const owners = (request: Request, response: Response) => response.json([request.app === app, response.app === app]);
    expect(await ask(app, ourServer, owners)).toEqual([true, true]);
  }
});

/** `initial`: as Node creates them; `after`: in a handler; `before`: whether the initial ones are Node's own. */
async function prototypesSeen(makeServer: (app: Express) => Server) {
  const app = express();
  let [initial, after]: unknown[][] = [[], []];
  const observe: Observer = (...pair) => (initial = pair.map((one) => Object.getPrototypeOf(one) as unknown));
  await ask(
    app,
    makeServer,
    (request, response) => {
      after = [Object.getPrototypeOf(request), Object.getPrototypeOf(response)];
      response.json({});
    },
    observe,
  );
  const before = [initial[0] === IncomingMessage.prototype, initial[1] === ServerResponse.prototype];
  return { app, initial, before, after };
}

async function ask(
  app: Express,
  makeServer: (app: Express) => Server,
  handler: (request: Request, response: Response) => void,
  observe: Observer = () => {},
): Promise<unknown> {
  app.use(handler);
  const server = makeServer(app).prependListener('request', observe).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const headers = {
    Host: 'api.frontdesk.test',
    'X-Requested-With': 'XMLHttpRequest',
    'X-Forwarded-For': '10.0.0.1',
    'X-Forwarded-Proto': 'https',
  };
  try {
    const [response] = (await once(get({ host: '127.0.0.1', port, path: '/a/b?c=d', headers, agent: false }), 'response')) as [
      IncomingMessage,
    ];
    return await json(response);
  } finally {
    server.close();
  }
}
