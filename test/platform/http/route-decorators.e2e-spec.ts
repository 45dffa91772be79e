/** @mysql never */
import { Body, Controller, Get, HttpCode, Module, Param, Post, Query } from '@nestjs/common';
import { IsOptional } from 'class-validator';
import type { RequestBodyObject } from '@nestjs/swagger';
import type { Test } from 'supertest';
import { WriteContextOf } from '../../../src/auth/caller';
import { Scope } from '../../../src/auth/route-policies';
import { Page } from '../../../src/platform/common/records';
import type { WriteContext } from '../../../src/platform/common/write-context';
import { FormLimits } from '../../../src/platform/http/input/body-reader';
import { RefusesIdempotencyKey } from '../../../src/platform/http/input/idempotency-key';
import { ParseRecordIdPipe } from '../../../src/platform/http/input/parse-record-id.pipe';
import { IsText } from '../../../src/platform/http/input/rules';
import { RecordField } from '../../../src/platform/http/record-fields';
import { ApiAction, ApiCreate, Paginated } from '../../../src/platform/http/routes';
import { PageQuery } from '../../../src/platform/http/list-query';
import { PUBLIC_URL, type TestAccount, useApplication } from '../../support/http/application';
import { Client } from '../../support/http/client';
import { expectErrors, readErrors } from '../../support/http/errors';
import type { Operation } from '../../support/http/openapi';
import { RouteTable } from '../../support/http/route-table';

class ParcelRecord {
  @RecordField({ type: 'integer', example: 7 })
  id: number;
}

class NewParcel {
  @IsText(20_000, 'Content.', { example: 'A vase' })
  content: string;
}

class ParcelQuery extends PageQuery {
  @IsOptional()
  @IsText(64, 'Colour.', { example: 'red' })
  colour?: string;

  @IsOptional()
  @IsText(64, 'Sender.', { example: 'Ana' })
  sender?: string;
}

class Weight {
  @RecordField({ type: 'integer', example: 3 })
  grams: number;
}

@Controller('parcels')
class ParcelsController {
  @Scope('parcels:read')
  @Get()
  @Paginated(ParcelRecord, 'List parcels')
  findPage(@Query() query: ParcelQuery) {
    const last = query.page === 2 ? [{ id: 1 }] : [];
    return new Page(last, 30);
  }

  @Scope('parcels:write')
  @FormLimits({ valueBytes: 16 * 1024 })
  @Post()
  @ApiCreate('Create a parcel')
  create(@Body() { content }: NewParcel) {
    return { data: { id: content.length } };
  }

  @Scope('parcels:write', 'secrets:read')
  @RefusesIdempotencyKey()
  @Post(':parcel_id/weighing')
  @HttpCode(200)
  @ApiAction('parcel_id', 'Weigh a parcel', Weight)
  weigh() {
    return { data: { grams: 3 } };
  }

  @Scope('parcels:write')
  @Post(':parcel_id/sending')
  @HttpCode(200)
  @ApiAction('parcel_id', 'Send a parcel')
  send(@WriteContextOf('parcels.send') { idempotency }: WriteContext) {
    return { data: { id: idempotency?.key.length ?? 0 } };
  }

  @Scope('parcels:write')
  @RefusesIdempotencyKey()
  @Post('bare')
  bare() {
    return {};
  }

  @Scope('secrets:read', 'parcels:write')
  @Get('secret')
  secret() {
    return {};
  }
}

@Controller('parcels/:parcel_id/events')
class ParcelEventsController {
  @Scope('parcels:read')
  @Get()
  @Paginated(ParcelRecord, 'List events of a parcel')
  findPage(@Param('parcel_id', ParseRecordIdPipe) _: number, @Query() _query: PageQuery) {
    return new Page([], 30);
  }
}

@Module({ controllers: [ParcelsController, ParcelEventsController] })
class ParcelsModule {}

const { application } = useApplication({}, ParcelsModule);
const WEIGHING = '/parcels/7/weighing';
const HEADER = 'header.Idempotency-Key';
let account: TestAccount;
let operations: Operation[];

beforeAll(async () => {
  account = await application().createAccount();
  ({ operations } = (await RouteTable.of(application())).document);
});

const operationOf = (path: string, method = 'POST') => operations.find((one) => one.path === path && one.method === method)!;
const headersOf = ({ parameters = [] }: Operation) => parameters.flatMap((one) => ('in' in one && one.in === 'header' ? one.name : []));

describe('a route with several scopes', () => {
  const clientWith = async (...scopes: ('parcels:write' | 'secrets:read' | 'domains:read')[]): Promise<Client> =>
    (await application().createKey(account.id, { scopes })).client;

  test('accepts a key that has all of them', async () => {
    expect((await (await clientWith('secrets:read', 'parcels:write')).post(WEIGHING)).body).toEqual({ data: { grams: 3 } });
  });

  test.each([
    [['parcels:write'], 'The API key needs the scope secrets:read.'],
    [['secrets:read'], 'The API key needs the scope parcels:write.'],
    [['domains:read'], 'The API key needs the scopes parcels:write and secrets:read.'],
  ] as const)('rejects a key with %j: the error names the missing scopes, the challenge all', async (scopes, detail) => {
    const response = await (await clientWith(...scopes)).post(WEIGHING);
    expectErrors(response, { code: 'insufficient_scope', source: 'header.Authorization', detail });
    expect(response.headers['www-authenticate']).toBe(
      'Bearer realm="frontdesk", error="insufficient_scope", scope="parcels:write secrets:read"',
    );
  });

  test('the challenge names scopes in the order of @Scope, and each scope exists', async () => {
    const response = await (await clientWith('parcels:write')).get('/parcels/secret');
    expect(response.headers['www-authenticate']).toContain('scope="secrets:read parcels:write"');
    expect(application().scopes).toEqual(expect.arrayContaining(['parcels:read', 'parcels:write']));
  });

  test('documents its scopes', () => {
    expect(operationOf('/parcels/{parcel_id}/weighing')).toMatchObject({
      'x-required-scopes': ['parcels:write', 'secrets:read'],
      security: [{ key: [] }],
      description: 'Requires a key with the scopes `parcels:write` and `secrets:read`.',
    });
  });
});

describe('a route without fields', () => {
  test('requires no body', async () => {
    await account.client.send('POST', WEIGHING).expect(200);
    await account.client.send('POST', WEIGHING).send({}).expect(200);
    await account.client.send('POST', WEIGHING).type('form').send('').expect(200);
  });

  test('rejects any field, in each content type', async () => {
    const unknown = { code: 'unknown_parameter', source: 'form.colour', detail: /^colour .* this request takes no parameters\.$/ } as const;
    expectErrors(await account.client.post(WEIGHING, { colour: 'red' }), unknown);
    expectErrors(await account.client.send('POST', WEIGHING).type('form').send('colour='), unknown);
    expectErrors(await account.client.send('POST', WEIGHING).send({ colour: null }), unknown);
    expectErrors(
      await account.client.post(`${WEIGHING}?size=1`, { colour: 'red' }),
      { code: 'unknown_parameter', source: 'query.size' },
      { ...unknown },
    );
  });

  test('rejects another content type and a file', async () => {
    expectErrors(await account.client.send('POST', WEIGHING).type('text/plain').send('x'), {
      code: 'unsupported_media_type',
      source: 'header.Content-Type',
    });
    const withFile = await account.client.send('POST', WEIGHING).attach('photo', Buffer.from('x'), 'a.png');
    expectErrors(withFile, { code: 'malformed_request', source: 'form.photo' });
  });

  test('documents no body, but the errors that one causes', () => {
    const { requestBody, responses } = operationOf('/parcels/{parcel_id}/weighing');
    expect(requestBody).toBeUndefined();
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '400', '413', '415']));
    expect(JSON.stringify(operations)).not.toContain('NoFields');
  });
});

describe('@RefusesIdempotencyKey', () => {
  const refused = { code: 'invalid_parameter', source: HEADER, detail: /does not keep its responses\.$/ } as const;

  test.each(['order-1', 'x'.repeat(256), 'a b'])('rejects the key %j, together with all other errors', async (key) => {
    expectErrors(await account.client.post(WEIGHING).set('Idempotency-Key', key), refused);
    expectErrors(
      await account.client.post(`${WEIGHING}?size=1`, { colour: 'red' }).set('Idempotency-Key', key),
      { code: 'unknown_parameter', source: 'query.size' },
      refused,
      { code: 'unknown_parameter', source: 'form.colour' },
    );
  });

  test('applies to a route without @Body', async () => {
    expectErrors(await account.client.post('/parcels/bare').set('Idempotency-Key', 'order-1'), refused);
    await account.client.post('/parcels/bare').expect(201);
  });

  test('removes the header and its errors from the OpenAPI document', () => {
    const [refusing, accepting] = ['weighing', 'sending'].map((action) => operationOf(`/parcels/{parcel_id}/${action}`));
    expect([headersOf(refusing), headersOf(accepting)]).toEqual([[], ['Idempotency-Key']]);
    expect(['409', '422'].filter((status) => status in refusing.responses)).toEqual([]);
    expect(JSON.stringify(operations)).not.toContain('x-refuses');
  });

  test('does not affect other actions', async () => {
    const response = await account.client.post('/parcels/7/sending').set('Idempotency-Key', 'order-1').expect(200);
    expect(response.body).toEqual({ data: { id: 7 } });
  });
});

describe('@FormLimits', () => {
  const LIMIT = 16 * 1024;
  const senders: [string, (content: string) => Test][] = [
    ['multipart/form-data', (content) => account.client.post('/parcels', { content })],
    ['application/x-www-form-urlencoded', (content) => account.client.send('POST', '/parcels').type('form').send({ content })],
    ['application/json', (content) => account.client.send('POST', '/parcels').send({ content })],
  ];

  test.each(senders)('raises the limit of a value in %s, which the error names', async (_type, send) => {
    for (const content of ['x'.repeat(LIMIT), 'é'.repeat(LIMIT / 2)]) {
      const { status, text: answer } = await send(content);
      expect([status, answer]).toEqual([201, JSON.stringify({ data: { id: content.length } })]);
    }
    for (const content of ['x'.repeat(LIMIT + 1), `é${'é'.repeat(LIMIT / 2)}`])
      expectErrors(await send(content), { code: 'payload_too_large', detail: 'A value may have at most 16384 bytes.' });
  });

  test('documents the limit', () => {
    const operation = operationOf('/parcels');
    expect(operation.description).toContain('A form value may have at most 16384 bytes.');
    expect(Object.keys((operation.requestBody as RequestBodyObject).content)).toHaveLength(3);
    expect(operation).not.toHaveProperty('x-value-limit');
  });
});

describe('the links of a filtered list', () => {
  const linksOf = async (query: string) => {
    const { body } = await account.client.get(`/parcels${query}`).expect(200);
    return (body as { links: Record<'first' | 'last' | 'next' | 'prev' | 'self', string | null> }).links;
  };
  const at = (page: number, rest = '') => `${PUBLIC_URL}/parcels?&page=${page}${rest}`;

  test.each([
    ['', ''],
    ['?page=1', ''],
    ['?colour=red', '&colour=red'],
    ['?sender=Ana&page=1&colour=red', '&colour=red&sender=Ana'],
    ['?sender=Ana&results_per_page=25', '&results_per_page=25&sender=Ana'],
    ['?&page=1&results_per_page=25&colour=red', '&results_per_page=25&colour=red'],
    ['?colour=007', '&colour=007'],
    ['?colour=a%20b%26c%3Dd&sender=Jo%C3%A3o+%2B', '&colour=a+b%26c%3Dd&sender=Jo%C3%A3o+%2B'],
    ['?colour=what?', '&colour=what%3F'],
  ])('%j: every link ends in %j', async (query, rest) => {
    expect(await linksOf(query)).toEqual({ first: at(1, rest), last: at(2, rest), next: at(2, rest), prev: null, self: at(1, rest) });
  });

  test('repeat the filters on the next page', async () => {
    const { next } = await linksOf('?sender=Jo%C3%A3o+%2B&colour=a%26b');
    const path = next!.slice(`${PUBLIC_URL}/parcels`.length);
    const rest = '&colour=a%26b&sender=Jo%C3%A3o+%2B';
    expect(await linksOf(path)).toEqual({ first: at(1, rest), last: at(2, rest), next: null, prev: at(1, rest), self: at(2, rest) });
  });

  test('have the path of a nested list', async () => {
    const { body } = await account.client.get('/parcels/7/events').expect(200);
    expect(body).toMatchObject({ links: { next: `${PUBLIC_URL}/parcels/7/events?&page=2` } });
  });

  test('are not needed to report an invalid filter', async () => {
    expect(readErrors(await account.client.get('/parcels?colour=&sender=a&sender=b')).map(({ source }) => source?.name)).toEqual([
      'colour',
      'sender',
    ]);
  });
});
