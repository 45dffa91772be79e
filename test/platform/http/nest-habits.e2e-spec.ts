/** @mysql whole */
import {
  CallHandler,
  ClassSerializerInterceptor,
  Controller,
  ExecutionContext,
  Get,
  Module,
  NestInterceptor,
  Post,
  ValidationPipe,
} from '@nestjs/common';
import { APP_INTERCEPTOR, APP_PIPE, ApplicationConfig } from '@nestjs/core';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { map } from 'rxjs';
import type { Response } from 'supertest';
import { Public, Scope } from '../../../src/auth/route-policies';
import { TestApplication, type TestAccount, useApplication, withApplication } from '../../support/http/application';
import { type ExpectedError, expectErrors, readErrors, withoutRequestId } from '../../support/http/errors';
import { HabitsModule } from '../../support/extensions/habits';
import { sendRaw } from '../../support/http/raw-request';
import { DOMAINS, HANDLERS, HANDLERS_READ, insertNotification, NOTIFICATIONS } from '../../support/areas/records';

const { application, database } = useApplication({}, HabitsModule);

const get = (path: string) => application().client().get(`/habits/${path}`);
const post = (path: string) => application().client().send('POST', `/habits/${path}`);
const json = (path: string, body: object) => post(path).send(body);

/** Status, codes and details of a response's errors; checks the envelope. */
function errorsIn(response: Response) {
  const { errors } = response.body as { errors: { id: string; status: number; code: string; title: string; detail: string }[] };
  for (const error of errors) {
    expect(error).toMatchObject({ id: response.headers['x-request-id'], status: response.status, title: expect.any(String) as string });
  }
  return { status: response.status, errors: errors.map(({ code, detail }) => [code, detail]) };
}

describe('a Nest exception', () => {
  test.each<[string, number, [code: string, detail: string][]]>([
    ['not-found', 404, [['not_found', 'No such contact']]],
    ['conflict', 409, [['conflict', 'This contact exists']]],
    ['forbidden', 403, [['forbidden', 'Not yours']]],
    ['bad-request', 400, [['bad_request', 'Give a name']]],
    ['bad-request-list', 400, [['bad_request', 'name must be text'], ['bad_request', 'age must be a number']]], // prettier-ignore
    ['unprocessable', 422, [['unprocessable', 'Can not be merged']]],
    ['unauthorized', 401, [['unauthorized', 'Log in again']]],
    ['teapot', 418, [['im_a_teapot', 'Short and stout']]],
    ['object', 403, [['forbidden', 'This is a custom message']]],
    ['silent', 404, [['not_found', 'Not Found']]],
    ['own-code', 409, [['coupon_used_up', 'All gone']]],
    ['own-code-of-ours', 409, [['limit_reached', 'No more']]],
    ['own-code-malformed', 409, [['conflict', 'All gone']]],
    ['own-code-long', 409, [['conflict', 'All gone']]],
    ['own-code-number', 409, [['conflict', 'All gone']]],
    ['own-code-list', 400, [['bad_request', 'One'], ['bad_request', 'Two']]], // prettier-ignore
    ['internal', 500, [['internal_error', 'The printer is on fire']]],
    ['unavailable', 503, [['unavailable', 'Come back later']]],
    ['unnamed', 499, [['bad_request', 'An odd one']]],
    ['middleware', 400, [['bad_request', 'Too short']]],
    ['fault', 500, [['internal_error', 'Internal error. The operator can find it in the log by this id.']]],
    ['uri', 500, [['internal_error', 'Internal error. The operator can find it in the log by this id.']]],
    ['false', 403, [['forbidden', 'Forbidden resource']]],
    ['interceptor', 409, [['conflict', 'Not now']]],
    ['pipe?q=x', 400, [['bad_request', 'Not like this']]],
  ])('exceptions/%s returns the status and message of its exception', async (name, status, errors) => {
    expect(errorsIn(await get(`exceptions/${name}`))).toEqual({ status, errors });
  });

  test('sets the headers of its status and a title, and may be thrown asynchronously', async () => {
    expect((await get('exceptions/unauthorized')).headers['www-authenticate']).toBe('Bearer realm="frontdesk"');
    expect((await get('exceptions/unavailable')).headers['retry-after']).toBe('1');
    expect((await get('exceptions/own-code')).body).toMatchObject({ errors: [{ title: 'Coupon used up' }] });
    expect(errorsIn(await get('exceptions/async/conflict'))).toEqual(errorsIn(await get('exceptions/conflict')));
  });

  test('does not change the responses to unknown paths and methods', async () => {
    expectErrors(await get('nothing'), { code: 'not_found', detail: 'There is nothing at this path.' });
    expectErrors(await post('exceptions/not-found'), { code: 'method_not_allowed', detail: 'This path answers GET, HEAD.' });
    expectErrors(await get('input/slug/%ff'), { code: 'invalid_parameter', detail: 'The path must be valid percent-encoded UTF-8.' });
  });
});

describe('query and path parameters', () => {
  test.each<[string, unknown]>([
    ['query?q=x', { q: 'x' }],
    ['query', {}],
    ['page', { n: 1 }],
    ['page?n=7', { n: 7 }],
    ['all?a=1&b=2', { a: '1', b: '2' }],
    ['search?size=7&order=age', { isSearch: true, size: 7, order: 'age' }],
    ['search', { isSearch: true }],
    ['exposing', { colour: 'computed' }],
    ['exposing?colour=red', { colour: 'red' }],
    ['splitting?ids=1,2', { ids: ['1', '2'] }],
    ['slug/a-b', { slug: 'a-b' }],
    ['uuid/6f1c5e0e-3a7d-4f0e-9b57-0a2f4c3d2e1b', { id: '6f1c5e0e-3a7d-4f0e-9b57-0a2f4c3d2e1b' }],
    ['int/12', { id: 12 }],
    ['number/12', { id: 12 }],
  ])('GET %s reads them', async (path, body) => {
    const response = await get(`input/${path}`);
    expect({ status: response.status, body: response.body as unknown }).toEqual({ status: 200, body });
  });

  test('invalid ones are rejected by the pipe or the DTO', async () => {
    expect(errorsIn(await get('input/page?n=x'))).toEqual({
      status: 400,
      errors: [['bad_request', 'Validation failed (numeric string is expected)']],
    });
    expect(errorsIn(await get('input/uuid/7'))).toEqual({ status: 400, errors: [['bad_request', 'Validation failed (uuid is expected)']] });
    expectErrors(
      await get('input/search?size=0&order=x&colour=red'),
      { code: 'unknown_parameter', source: 'query.colour', detail: 'colour is not known here; accepted: size, order.' },
      { code: 'invalid_parameter', source: 'query.size', detail: 'size must not be less than 1' },
      { code: 'invalid_parameter', source: 'query.order' },
    );
    expectErrors(await get('input/splitting?ids=1&bogus=2'), { code: 'unknown_parameter', source: 'query.bogus' });
    expectErrors(await get('input/conditional'), { code: 'missing_parameter', source: 'query.colour' });
    expectErrors(await get('input/number/x'), { code: 'invalid_parameter', source: 'path.id' });
    expectErrors(await get('input/none?q=x'), { code: 'unknown_parameter', source: 'query.q' });
  });
});

const WRONG_AGE: ExpectedError = { code: 'invalid_parameter', source: 'form.age' };

const CONTACT = {
  name: 'Ana',
  age: 41,
  active: false,
  tags: ['a', 'b'],
  addresses: [{ street: 'Rua A', number: 7 }],
};

describe('a JSON body', () => {
  test('a guard sees the parsed body', async () => {
    const response = await json('input/seen', { size: 7 });
    expect([response.status, response.body]).toEqual([201, { seen: { size: 7 } }]);
  });

  test('JSON values keep the types that the DTO declares', async () => {
    const response = await json('input/contact', CONTACT);
    expect([response.status, response.body]).toEqual([201, { isContact: true, ...CONTACT }]);
  });

  test('one response reports all violations, nested ones by their path', async () => {
    const wrong = { age: '41', active: 'yes', tags: [1], addresses: [{ street: '', number: 1.5, floor: 2 }], colour: 'red' };
    const response = await json('input/contact', wrong);
    expect(response.status).toBe(400);
    expect(readErrors(response).map(({ code, detail, source }) => `${code} ${source!.name}: ${detail}`).sort()).toEqual([
      'invalid_parameter active: active must be a boolean value',
      'invalid_parameter addresses.0.number: addresses.0.number must be an integer number',
      'invalid_parameter addresses.0.street: addresses.0.street should not be empty',
      'invalid_parameter age: age must be an integer number',
      'invalid_parameter age: age must not be greater than 150',
      'invalid_parameter age: age must not be less than 0',
      'invalid_parameter tags: each value in tags must be a string',
      'missing_parameter name: name must be a string',
      'missing_parameter name: name should not be empty',
      'unknown_parameter addresses.0.floor: addresses.0.property floor should not exist',
      'unknown_parameter colour: colour is not known here; accepted: name, age, active, tags, addresses.',
    ]); // prettier-ignore
  });

  test.each([...Object.getOwnPropertyNames(Object.prototype), 'prototype'])('rejects the inherited name %s at any depth', async (name) => {
    const given = (value: object): object => Object.fromEntries([...Object.entries(value), [name, 'x']]);
    const [address] = CONTACT.addresses;
    expectErrors(
      await json('input/contact', given({ ...CONTACT, colour: 'red', addresses: [address, given(address)] })),
      ...['colour', 'addresses.1.' + name, name].map((path): ExpectedError => ({ code: 'unknown_parameter', source: `form.${path}` })),
    );
    expect((await json('input/record', given(CONTACT))).text).toContain(name); // without a DTO, any name is accepted
  });

  test('validates before the route’s own ValidationPipe, and after a body parser in middleware', async () => {
    expect((await json('input/dropping', CONTACT)).body).toEqual(CONTACT);
    expectErrors(await json('input/dropping', { ...CONTACT, colour: 'red' }), { code: 'unknown_parameter', source: 'form.colour' });
    expect((await json('input/parsed', CONTACT)).body).toEqual({ isContact: true, ...CONTACT });
    expectErrors(await json('input/parsed', { ...CONTACT, age: '41' }), ...Array<ExpectedError>(3).fill(WRONG_AGE));
  });

  test('@Body() may take one field, a record or an array, and @Req() the whole body', async () => {
    expect((await json('input/name', { name: 'Ana', age: 3 })).body).toEqual({ name: 'Ana' });
    expect((await json('input/record', CONTACT)).body).toEqual(CONTACT);
    expectErrors(await json('input/bare', { name: 'Ana' }), { code: 'unknown_parameter', source: 'form.name' });
    expect((await json('input/request', CONTACT)).body).toEqual({ body: CONTACT });
    expect((await json('input/list', [{ street: 'Rua A', number: 7 }])).body).toEqual({ count: 1 });
  });

  test('accepts many fields, 30 nested objects and 64 KiB', async () => {
    const addresses = Array.from({ length: 30 }, (_, number) => ({ street: 'x'.repeat(2_000), number }));
    expect((await json('input/contact', { ...CONTACT, addresses })).body).toEqual({ isContact: true, ...CONTACT, addresses });
    const wide = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`field${index}`, index]));
    expect((await json('input/record', wide)).body).toEqual(wide);
    expectErrors(await json('input/record', { text: 'x'.repeat(70_000) }), { code: 'payload_too_large' });
  });

  test('reports at most 100 errors', async () => {
    const response = await json('input/contact', { name: 'Ana', age: 1, addresses: Array.from({ length: 5_000 }, () => ({})) });
    const errors = readErrors(response);
    expect([response.status, errors.length, errors.at(-1)!.detail]).toEqual([400, 101, 'There are 14900 more errors.']);
  });

  test('rejects an array where the DTO is an object, and 30,000 nested arrays', async () => {
    expectErrors(await json('input/contact', [CONTACT]), { code: 'malformed_request', detail: 'A JSON body must be an object.' });
    const nested = post('input/record').set('Content-Type', 'application/json');
    expectErrors(await nested.send('['.repeat(30_000) + ']'.repeat(30_000)), { code: 'malformed_request' });
  });
});

describe('a form', () => {
  test('fields are strings, and a repeated field is an array', async () => {
    const tagged = { title: ' x ', tags: ['a', 'b'] };
    expect((await post('input/tagged').type('form').send('title=+x+&tags=a&tags=b')).body).toEqual(tagged);
    expect((await post('input/tagged').field('title', ' x ').field('tags', 'a').field('tags', 'b')).body).toEqual(tagged);
  });

  test('accepts a file where the route allows it', async () => {
    const photo = Buffer.alloc(250 * 1024, 'x');
    const response = await post('input/photo').field('title', 'x').attach('photo', photo, 'photo.png');
    expect([response.status, response.body]).toEqual([201, { title: 'x', isTagged: true, size: photo.length }]);
    expect((await json('input/photo', { title: 'x' })).body).toEqual({ title: 'x', isTagged: true, size: null });
    expectErrors(
      await post('input/photo').field('colour', 'x').attach('photo', photo, 'photo.png'),
      { code: 'unknown_parameter', source: 'form.colour' },
      { code: 'missing_parameter', source: 'form.title' },
      { code: 'missing_parameter', source: 'form.title' },
    );
    const tooLarge = Buffer.alloc(301 * 1024, 'x');
    const inChunks = await sendRaw(application().port, {
      method: 'POST',
      path: '/habits/input/photo',
      headers: { 'Content-Type': 'multipart/form-data; boundary=x', 'Transfer-Encoding': 'chunked' },
      body: `--x\r\nContent-Disposition: form-data; name="photo"; filename="a"\r\n\r\n${tooLarge.toString()}\r\n--x--\r\n`,
    });
    expectErrors(inChunks, { code: 'payload_too_large', detail: 'A body may have at most 307200 bytes.' });
    expectErrors(await post('input/photo').field('title', 'x').attach('photo', tooLarge, 'photo.png'), { code: 'payload_too_large' });
  });

  test('returns 413 before an oversized upload ends, and closes the connection', async () => {
    const socket = connect(application().port, '127.0.0.1');
    const part = '--x\r\nContent-Disposition: form-data; name="photo"; filename="a"\r\n\r\n';
    const headers = 'Host: a\r\nContent-Type: multipart/form-data; boundary=x\r\nTransfer-Encoding: chunked';
    socket.write(`POST /habits/input/photo HTTP/1.1\r\n${headers}\r\n\r\n${part.length.toString(16)}\r\n${part}\r\n`);
    for (let sent = 0; sent < 5; sent++) socket.write(`10000\r\n${'a'.repeat(0x10000)}\r\n`); // and never the last chunk
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 .*\r\nConnection: close\r\n.*"A body may have at most 307200 bytes."/s);
    await application().client().get('/health/live').expect(200);
  });

  test('decodes encoded fields beside a file', async () => {
    const title = '--x\r\nContent-Disposition: form-data; name="title"\r\nContent-Transfer-Encoding: base64\r\n\r\nw6k=\r\n';
    const photo = '--x\r\nContent-Disposition: form-data; name="photo"; filename="a"\r\n\r\nabc\r\n--x--\r\n';
    const response = await post('input/photo')
      .type('multipart/form-data; boundary=x')
      .send(title + photo);
    expect([response.status, response.body]).toEqual([201, { title: 'é', isTagged: true, size: 3 }]);
  });

  test('requires a boundary where a file is allowed', async () => {
    const response = await post('input/photo').type('multipart/form-data').send('--x--\r\n');
    expectErrors(response, { code: 'malformed_request', source: 'header.Content-Type', detail: /leave this header to the HTTP library/ });
  });

  test('limits the upload where the handler uses only the file', async () => {
    const send = (bytes: number) => post('input/small').attach('photo', Buffer.alloc(bytes, 'x'), 'photo.png');
    expect((await send(500)).body).toEqual({ size: 500 });
    expectErrors(await send(1_500), { code: 'payload_too_large' });
  });

  test('rejects a file where the route declares none', async () => {
    const noFile = { code: 'malformed_request', source: 'form.photo', detail: /^photo may not be a file: send it as text/ } as const;
    expectErrors(await post('input/alone').attach('photo', Buffer.from('x'), 'photo.png'), noFile);
    expectErrors(await post('input/unsaid').field('title', 'x').attach('photo', Buffer.from('x'), 'photo.png'), noFile);
    expectErrors(await post('input/tagged').field('title', 'x').attach('photo', Buffer.from('x'), 'photo.png'), noFile);
  });
});

test('PUT and PATCH routes are supported', async () => {
  const send = (method: string, path: string, body: object) => application().client().send(method, `/habits/${path}`).send(body);
  expect((await send('PUT', 'input/a', { title: 'x' })).body).toEqual({ id: 'a', title: 'x' });
  expect((await send('PATCH', 'input/a', { title: 'x' })).body).toEqual({ id: 'a', title: 'x' });
  expect((await send('DELETE', 'input/a', {})).headers.allow).toBe('PATCH, PUT');
  const origin = 'https://app.example.com';
  await withApplication(
    { ...database().env, CORS_ORIGINS: origin },
    async (open) => {
      const preflight = open.client().send('OPTIONS', '/habits/input/a').set('Origin', origin);
      const { headers } = await preflight.set('Access-Control-Request-Method', 'PUT');
      expect(headers['access-control-allow-methods']).toBe('GET,HEAD,POST,DELETE,PATCH,PUT');
    },
    HabitsModule,
  );
});

describe('a response', () => {
  const bytes = (path: string) =>
    get(`answers/${path}`)
      .buffer(true)
      .parse((response, done) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => done(null, Buffer.concat(chunks)));
      });

  test.each([
    ['file', 'image/x-test'],
    ['buffer', 'application/octet-stream'],
  ])('answers/%s sends its bytes', async (path, type) => {
    const response = await bytes(path);
    expect([response.status, response.headers['content-type'], response.body]).toEqual([200, type, Buffer.from([0, 255, 1, 254])]);
  });

  test.each([
    ['csv', 'text/csv; charset=utf-8', 'a,b\n1,2\n'],
    ['csv-buffer', 'text/csv; charset=utf-8', 'a,b\n1,2\n'],
    ['text', 'text/html; charset=utf-8', 'hello'],
    ['problem', 'application/problem+json', '{"title":"A problem"}'],
    ['observable', 'application/json; charset=utf-8', '{"n":1}'],
    ['list', 'application/json; charset=utf-8', '[1,"two",null]'],
    ['null', undefined, ''],
    ['events', 'text/event-stream', '\nid: 1\ndata: {"n":1}\n\nid: 2\ndata: {"n":2}\n\n'],
  ])('answers/%s sends what plain Nest sends', async (path, type, text) => {
    const { status, headers, body } = await bytes(path);
    expect([status, headers['content-type'], String(body)]).toEqual([200, type, text]);
  });

  test('may be empty, a redirect, or an error where a CSV file was declared', async () => {
    const empty = await post('answers/nothing');
    expect([empty.status, empty.text]).toEqual([204, '']);
    const moved = await get('answers/redirect').redirects(0);
    expect([moved.status, moved.headers.location]).toEqual([301, 'https://example.com/elsewhere']);
    const later = await get('answers/redirect-later').redirects(0);
    expect([later.status, later.headers.location]).toEqual([307, 'https://example.com/later']);
    expectErrors(await get('answers/failing-csv'), { code: 'not_found', detail: 'No such table' });
  });
});

describe('a scope', () => {
  test('the scope and DTO of an inherited handler are those of its controller', async () => {
    const { client } = await application().createAccount({ scopes: ['domains:read'] });
    for (let round = 0; round < 2; round++) {
      expect((await client.get('/habits/inherited/domains')).body).toEqual({ by: 'DomainsHeir' });
      expectErrors(await client.get('/habits/inherited/notifications'), { code: 'insufficient_scope', source: 'header.Authorization' });
    }
    const other = await application().createAccount();
    const titled = { title: 'x' };
    expect((await other.client.send('POST', '/habits/inherited/notifications').send(titled)).body).toEqual(titled);
    expect((await other.client.send('POST', '/habits/inherited/domains').send(titled)).status).toBe(400);
  });

  test('a method’s @Scope overrides its controller’s @Public, and vice versa', async () => {
    const { client } = await application().createAccount({ scopes: ['notifications:read'] });
    expect((await get('open')).status).toBe(200);
    expectErrors(await get('open/closed'), { code: 'unauthenticated', source: 'header.Authorization' });
    expectErrors(await client.get('/habits/open/closed'), { code: 'insufficient_scope', source: 'header.Authorization' });
    expectErrors(await get('closed'), { code: 'unauthenticated', source: 'header.Authorization' });
    expect((await get('closed/open')).status).toBe(200);
  });

  test('startup fails for a route without @Scope or @Public, or with both', async () => {
    @Controller('habits/forgotten')
    class ForgottenController {
      @Get()
      list() {}

      @Public()
      @Scope('domains:read')
      @Post()
      create() {}
    }
    @Module({ controllers: [ForgottenController] })
    class ForgottenModule {}
    await expect(TestApplication.start(database().env, ForgottenModule)).rejects.toThrow(
      /^ForgottenController\.list has neither @Scope\(\) nor @Public\(\).*\nForgottenController\.create has both/,
    );
  });
});

describe('a global prefix', () => {
  @Module({})
  class PrefixModule {
    constructor(config: ApplicationConfig) {
      config.setGlobalPrefix('v1');
    }
  }

  test('must be the end of PUBLIC_URL, from which links are built', async () => {
    await expect(TestApplication.start(database().env, PrefixModule)).rejects.toThrow(
      'PUBLIC_URL must end in /v1, the global prefix of all routes',
    );
    await withApplication(
      { ...database().env, PUBLIC_URL: 'https://frontdesk.test/v1' },
      async (prefixed) => {
        const { client } = await prefixed.createAccount();
        const created = await client.post('/v1/api/domains', { host: 'prefixed.example.com' });
        expect(created.headers.location).toMatch(/^https:\/\/frontdesk\.test\/v1\/api\/domains\/\d+$/);
        const list = await client.get('/v1/api/domains');
        expect((list.body as { links: { self: string } }).links.self).toBe('https://frontdesk.test/v1/api/domains?&page=1');
        expectErrors(await client.send('PUT', '/v1/api/domains'), {
          code: 'method_not_allowed',
          detail: 'This path answers GET, HEAD, POST.',
        });
        expectErrors(await client.get('/api/domains'), { code: 'not_found' });
      },
      PrefixModule,
    );
  });
});

describe('an extension’s global pipe or interceptor', () => {
  class Passing implements NestInterceptor {
    intercept(_context: ExecutionContext, next: CallHandler) {
      return next.handle();
    }
  }

  class Wrapping implements NestInterceptor {
    intercept(_context: ExecutionContext, next: CallHandler) {
      return next.handle().pipe(map((body: unknown) => ({ wrapped: body })));
    }
  }

  const interceptors = (...classes: object[]) => classes.map((useClass) => ({ provide: APP_INTERCEPTOR, useClass }) as never);
  const pipe = (options: object) => ({ provide: APP_PIPE, useFactory: () => new ValidationPipe(options) });

  @Module({ providers: interceptors(Passing, ClassSerializerInterceptor) })
  class SerializingModule {}

  @Module({ providers: [pipe({ whitelist: true, transform: true }), pipe({ whitelist: true })] })
  class ValidatingModule {}

  @Module({
    providers: [
      pipe({ whitelist: true, transform: true, forbidNonWhitelisted: true, transformOptions: { enableImplicitConversion: true } }),
    ],
  })
  class ForbiddingModule {}

  @Module({ providers: interceptors(Wrapping) })
  class WrappingModule {}

  let account: TestAccount;
  let ids: { domain: number; handler: number; notification: number };

  beforeAll(async () => {
    account = await application().createAccount();
    ids = {
      domain: await account.client.create(DOMAINS, { host: 'global.example.com' }),
      handler: await account.client.create(HANDLERS, { name: 'Ops', type: 'telegram', telegram: '1:abc', telegram_chat_id: '7' }),
      notification: (await insertNotification(application(), account.id)).id,
    };
  });

  /** The responses to one request of each kind, without their request ids. */
  async function answersOf(to: TestApplication): Promise<unknown[]> {
    const client = to.client(account.key);
    const requests = [
      client.get(`${DOMAINS}?page=1&results_per_page=10`),
      client.get(`${DOMAINS}?page=x`),
      client.get(`${DOMAINS}/${ids.domain}`),
      client.post(`${DOMAINS}/${ids.domain}`, {}),
      client.post(DOMAINS, { host: 'global.example.com' }),
      client.post(DOMAINS, { host: 'x', colour: 'red' }),
      client.delete(`${DOMAINS}/0`),
      client.get(HANDLERS_READ),
      client.get(`${HANDLERS_READ}/${ids.handler}`),
      client.post(HANDLERS, { name: '', type: 'slack', webhook: 'x' }),
      client.get(NOTIFICATIONS),
      client.get(`${NOTIFICATIONS}/${ids.notification}`),
      client.get('/scheduling?api=servicos'),
      client.get('/scheduling?api=servicos&page=1'),
      client.get('/scheduling?api=atendentes&atendente-diponivel=false&orderby=atendente-nome&sort=desc'),
      client.get('/scheduling?api=servicos&servicos-id=1'),
      client.get('/health/ready'),
    ];
    const answers: unknown[] = [];
    for (const request of requests) {
      const response = await request;
      const { etag, location, 'content-type': type } = response.headers;
      answers.push([response.status, withoutRequestId(response), etag, location, type]);
    }
    return answers;
  }

  test.each([
    ['ClassSerializerInterceptor', SerializingModule],
    ['ValidationPipe with whitelist', ValidatingModule],
    ['ValidationPipe with forbidNonWhitelisted', ForbiddingModule],
  ])('leaves responses and writes unchanged: %s', async (_name, module) => {
    const expected = await answersOf(application());
    await withApplication(
      database().env,
      async (extended) => {
        expect(await answersOf(extended)).toEqual(expected);
        const client = extended.client(account.key);
        const id = await client.create(HANDLERS, { name: 'Night', type: 'telegram', telegram: '2:def' });
        expect((await client.post(`${HANDLERS}/${id}`, { telegram_chat_id: '-7', is_enabled: '0' })).status).toBe(200);
        expect((await client.get(`${HANDLERS}/${id}`)).body).toMatchObject({
          data: { name: 'Night', settings: { telegram: '2:def', telegram_chat_id: '-7' }, is_enabled: false },
        });
        expect((await client.delete(`${HANDLERS}/${id}`)).body).toEqual({ data: { id } });
      },
      module,
    );
  });

  test('a pipe added after the routes were registered does not run', async () => {
    await withApplication(
      database().env,
      async (extended) => {
        extended.app.useGlobalPipes(new ValidationPipe({ whitelist: true }));
        expect((await extended.client().send('POST', '/habits/input/contact').send({ colour: 'red' })).status).toBe(400);
      },
      HabitsModule,
    );
  });

  test('an interceptor receives the result before it is sent, and may wrap it', async () => {
    const plain = await application().client(account.key).get(`${DOMAINS}/${ids.domain}`);
    await withApplication(
      database().env,
      async (extended) => {
        const client = extended.client(account.key);
        expect((await client.get(`${DOMAINS}/${ids.domain}`)).body).toEqual({ wrapped: plain.body as unknown });
        expect((await client.get(DOMAINS)).body).toMatchObject({ wrapped: { data: [{ id: ids.domain }], meta: { total: 1 } } });
      },
      WrappingModule,
    );
  });
});
