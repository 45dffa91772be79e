/** @mysql always */
import { type TestAccount, useApplication } from '../support/http/application';
import { expectErrors, withoutRequestId } from '../support/http/errors';
import { COLLECTIONS, ordersOf, type PromisedCollection, SCHEDULING } from '../support/areas/scheduling-interface';
import { insertScheduling, wireRecords } from '../support/areas/scheduling-records';
import { schedulingSeed } from '../support/areas/scheduling-seed';

const { application } = useApplication();
const SEED = schedulingSeed({ agendamentos: 12, others: 12 }, 1);
const RECORDS = wireRecords(SEED);
const FOREIGN_ID = 2_001;
const NO_RECORD = 999_999;
let account: TestAccount;

beforeAll(async () => {
  account = await application().createAccount();
  await insertScheduling(application(), account.id, SEED);
  const stranger = await application().createAccount();
  await insertScheduling(application(), stranger.id, schedulingSeed({ agendamentos: 5, others: 5 }, FOREIGN_ID));
});

const read = (query: string) => account.client.get(`${SCHEDULING}${query}`);
const namesOf = (collection: PromisedCollection) => [...collection.texts, ...collection.times, ...collection.flags];
const each = test.each(COLLECTIONS.map((collection) => [collection.api, collection] as const));

describe('the parameter api', () => {
  test('a request without api is rejected', async () => {
    for (const query of ['', '?', '?api=', '?api', '?sort=asc', '?nome=joao']) {
      expectErrors(await read(query), {
        code: 'missing_parameter',
        source: 'query.api',
        detail: /agendamentos, atendentes, atendenteservico, horarios, servicos/,
      });
    }
  });

  test.each(['agendamento', 'Agendamentos', ' servicos', 'servicos ', 'clientes', '__proto__', 'constructor', '1', '%00'])(
    'api=%j is rejected',
    async (value) => {
      expectErrors(await read(`?api=${encodeURIComponent(value)}`), {
        code: 'invalid_parameter',
        source: 'query.api',
        detail: /^api must be one of agendamentos, atendentes, atendenteservico, horarios, servicos(, [a-z]+)*\.$/,
      });
    },
  );

  test('a repeated api is rejected', async () => {
    for (const query of ['?api=servicos&api=servicos', '?api=servicos&api=horarios', '?api=servicos&servicos-id=1&api=']) {
      expectErrors(await read(query), { code: 'invalid_parameter', source: 'query.api' });
    }
  });

  test('api may be percent-encoded', async () => {
    await read('?ap%69=servi%63os&servicos%2Did=1').expect(200);
  });
});

describe('a request for a single record', () => {
  each('a record of %s is returned under data, with its fields in order', async (api, { idParameter }) => {
    for (const record of RECORDS[api]) {
      const response = await read(`?api=${api}&${idParameter}=${Object.values(record)[0]}`).expect(200);
      expect(response.text).toBe(JSON.stringify({ data: record }));
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    }
  });

  each('a record of %s is found by an id with leading zeros, before or after api', async (api, { idParameter }) => {
    const [record] = RECORDS[api];
    const id = String(Object.values(record)[0]);
    const wanted = JSON.stringify({ data: record });
    await read(`?api=${api}&${idParameter}=000${id}`).expect(200, wanted);
    await read(`?${idParameter}=${id}&api=${api}`).expect(200, wanted);
  });

  each('an unknown id of %s is a 404, however many digits it has', async (api, { idParameter }) => {
    for (const id of ['0', '000', '999999', '2147483648', '4294967297', '9007199254740993', '9'.repeat(20), '1'.repeat(400)]) {
      expectErrors(await read(`?api=${api}&${idParameter}=${id}`), { code: 'not_found' });
    }
  });

  each('a record of %s of another account gets the same response as an unknown id', async (api, { idParameter }) => {
    const ids = api === 'atendentes' ? FOREIGN_ID + 500 : FOREIGN_ID;
    const foreign = await read(`?api=${api}&${idParameter}=${ids}`);
    const unknown = await read(`?api=${api}&${idParameter}=${NO_RECORD}`);
    expectErrors(foreign, { code: 'not_found' });
    expect(withoutRequestId(foreign)).toBe(withoutRequestId(unknown));
    expect(Object.keys(foreign.headers as object)).toEqual(Object.keys(unknown.headers as object));
  });

  each('an id of %s must consist of digits', async (api, { idParameter }) => {
    for (const id of ['x', '-1', '+1', '1.0', '1e3', '0x1', ' 1', '1 ', '1,2', '١', '1;1', 'null', '1\u0000']) {
      const response = await read(`?api=${api}&${idParameter}=${encodeURIComponent(id)}`);
      expectErrors(response, { code: 'invalid_parameter', source: `query.${idParameter}` });
    }
    expectErrors(await read(`?api=${api}&${idParameter}=`), { code: 'missing_parameter', source: `query.${idParameter}` });
    expectErrors(await read(`?api=${api}&${idParameter}=1&${idParameter}=1`), {
      code: 'invalid_parameter',
      source: `query.${idParameter}`,
    });
  });

  each('no filter, order or page of %s is accepted beside an id', async (api, collection) => {
    for (const name of [...namesOf(collection), 'orderby', 'sort', 'page', 'results_per_page', 'access_token', '__proto__', 'prototype']) {
      const response = await read(`?api=${api}&${collection.idParameter}=1&${name}=`);
      expectErrors(response, { code: 'unknown_parameter', source: `query.${name}` });
    }
  });

  each('the id parameters of other collections are unknown to %s', async (api, collection) => {
    const known = [collection.idParameter, ...namesOf(collection)];
    for (const name of COLLECTIONS.map(({ idParameter }) => idParameter).filter((other) => !known.includes(other))) {
      expectErrors(await read(`?api=${api}&${name}=1`), { code: 'unknown_parameter', source: `query.${name}` });
    }
    const underscored = collection.idParameter.replaceAll('-', '_');
    expectErrors(await read(`?api=${api}&${underscored}=1`), { code: 'unknown_parameter', source: `query.${underscored}` });
  });
});

describe('the parameters of a list', () => {
  each('%s accepts its own parameters only, and only with hyphens', async (api, collection) => {
    const own = new Set(namesOf(collection));
    for (const name of own) await read(`?api=${api}&${name}=`).expect(200);
    const foreign = COLLECTIONS.flatMap((other) => [...namesOf(other), other.idParameter]).filter((name) => !own.has(name));
    const underscored = [...own].filter((name) => name.includes('-')).map((name) => name.replaceAll('-', '_'));
    const others = [...foreign.filter((name) => name !== collection.idParameter), ...underscored, 'Sort', 'order', 'limit', 'atendentes'];
    for (const name of others) {
      expectErrors(await read(`?api=${api}&${name}=1`), { code: 'unknown_parameter', source: `query.${name}` });
    }
  });

  each('%s rejects a repeated parameter, even with the same value', async (api, collection) => {
    for (const name of [...namesOf(collection), 'orderby', 'sort', 'page', 'results_per_page']) {
      expectErrors(await read(`?api=${api}&${name}=1&${name}=1`), { code: 'invalid_parameter', source: `query.${name}` });
    }
  });

  each('%s reports all invalid parameters at once, with the accepted values', async (api, collection) => {
    const response = await read(`?api=${api}&sort=up&orderby=preco&colour=red&page=0`);
    expectErrors(
      response,
      { code: 'unknown_parameter', source: 'query.colour' },
      { code: 'invalid_parameter', source: 'query.page' },
      { code: 'invalid_parameter', source: 'query.orderby', detail: `orderby must be one of ${ordersOf(collection).join(', ')}.` },
      { code: 'invalid_parameter', source: 'query.sort', detail: 'sort must be one of asc, desc.' },
    );
  });

  each('%s rejects any other orderby or sort', async (api, collection) => {
    const foreign = COLLECTIONS.flatMap((other) => ordersOf(other)).filter((name) => !ordersOf(collection).includes(name));
    for (const value of [...foreign, 'id', 'servicos-id ', 'NOME', 'nome,telefone', 'nome desc', '1', 'account_id', 'nome_folded']) {
      expectErrors(await read(`?api=${api}&orderby=${encodeURIComponent(value)}`), { code: 'invalid_parameter', source: 'query.orderby' });
    }
    for (const value of ['ASC', 'Desc', 'ascending', '1', '-1', ' asc', 'asc;']) {
      expectErrors(await read(`?api=${api}&sort=${encodeURIComponent(value)}`), { code: 'invalid_parameter', source: 'query.sort' });
    }
  });

  test('repeated ampersands between parameters are ignored', async () => {
    await read(`?api=servicos${'&'.repeat(2_000)}servico-nome=nobody`).expect(200, '{"data":[]}');
    const names = Array.from({ length: 1_100 }, (_, index) => `a${index}`).join('&');
    expect((await read(`?api=servicos&${names}`)).status).toBe(400);
  });

  test('the first hundred errors are listed and the others counted', async () => {
    const names = Array.from({ length: 150 }, (_, index) => `a${index}`);
    const { errors } = (await read(`?api=servicos&${names.join('&')}`)).body as { errors: { detail: string }[] };
    expect(errors).toHaveLength(101);
    expect(errors[100].detail).toBe('There are 50 more errors.');
  });

  test('a value that is not UTF-8 is rejected', async () => {
    for (const bytes of ['%ff', '%c3%28', '%ed%a0%80', '%c0%af']) {
      expectErrors(await read(`?api=servicos&servico-nome=${bytes}`), { code: 'invalid_parameter', source: 'query.servico-nome' });
    }
  });
});

describe('GET /scheduling', () => {
  test('requires a key with the scope scheduling:read', async () => {
    const query = `${SCHEDULING}?api=servicos`;
    expectErrors(await application().client().get(query), { code: 'unauthenticated', source: 'header.Authorization' });
    const { client: able } = await application().createKey(account.id, { scopes: ['scheduling:read'] });
    await able.get(query).expect(200);
    const { client: unable } = await application().createKey(account.id, { scopes: ['domains:read', 'notifications:read'] });
    const refused = await unable.get(query);
    expectErrors(refused, { code: 'insufficient_scope', source: 'header.Authorization' });
    expect(refused.headers['www-authenticate']).toBe('Bearer realm="frontdesk", error="insufficient_scope", scope="scheduling:read"');
    expectErrors(await application().client().get(`${SCHEDULING}?api=nope`), { code: 'unauthenticated', source: 'header.Authorization' });
  });

  test('rejects a key in the query', async () => {
    const response = await read(`?api=servicos&access_token=${account.key}`);
    expectErrors(response, { code: 'unknown_parameter', source: 'query.access_token' });
    expect(response.text).not.toContain(account.key);
  });

  test('allows only GET and HEAD', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
      const response = await account.client.send(method, `${SCHEDULING}?api=servicos`);
      expectErrors(response, { code: 'method_not_allowed' });
      expect(response.headers.allow).toBe('GET, HEAD');
    }
  });

  test('accepts a trailing slash', async () => {
    for (const query of ['?api=servicos', '?api=servicos&servicos-id=1', '?api=servicos&page=1']) {
      const bare = await account.client.get(`${SCHEDULING}${query}`).expect(200);
      const slashed = await account.client.get(`${SCHEDULING}/${query}`).expect(200);
      expect(slashed.text).toBe(bare.text);
    }
  });

  test('has a case-sensitive path without subpaths', async () => {
    for (const path of ['/Scheduling', '/scheduling//', '/scheduling/1', '//scheduling', '/api/scheduling']) {
      expectErrors(await account.client.get(`${path}?api=servicos`), { code: 'not_found' });
    }
  });

  test.each(['?api=servicos', '?api=servicos&servicos-id=1', '?api=servicos&page=1', '?api=servicos&servicos-id=0', '?api=nope', ''])(
    'responds to HEAD %s as to GET, without a body',
    async (query) => {
      const get = await read(query).set('X-Request-Id', 'same');
      const head = await account.client.send('HEAD', SCHEDULING + query).set('X-Request-Id', 'same');
      expect([head.status, head.text ?? '']).toEqual([get.status, '']);
      const headers = [get, head].map((response) => ({ ...(response.headers as object), date: null, 'transfer-encoding': null }));
      expect(headers[1]).toEqual(headers[0]);
    },
  );
});
