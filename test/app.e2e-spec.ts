/** @mysql always */
import type { Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import request from 'supertest';
import { createApplication } from '../src/programs/server/application';
import { AccountsService } from '../src/auth/accounts/accounts.service';
import { ApiKeysService } from '../src/auth/accounts/api-keys.service';
import { Config } from '../src/platform/config/config';
import { createDatabase, type TestDatabase } from './support/servers/database';

/** The four areas over HTTP: the application as production boots it, on an empty database of its own. */
describe('frontdesk (e2e)', () => {
  let app: INestApplication<Server>;
  let database: TestDatabase;
  let key: string;

  beforeAll(async () => {
    database = await createDatabase();
    app = await createApplication(new Config({ ...database.env, LOG_LEVEL: 'silent', DOMAIN_CHECKS: 'off' }));
    const account = await app.get(AccountsService).create('acme');
    ({ key } = await app.get(ApiKeysService).create({ accountId: account.id, name: 'test' }));
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  const get = (path: string) => request(app.getHttpServer()).get(path).auth(key, { type: 'bearer' });
  const post = (path: string) => request(app.getHttpServer()).post(path).auth(key, { type: 'bearer' });
  const remove = (path: string) => request(app.getHttpServer()).delete(path).auth(key, { type: 'bearer' });
  const idOf = ({ body }: { body: unknown }) => (body as { data: { id: number } }).data.id;

  it.each(['/api/domains', '/api/notification-handlers', '/api/notifications', '/scheduling?api=servicos'])(
    'GET %s without a key returns 401',
    (path) => request(app.getHttpServer()).get(path).expect(401),
  );

  it('a domain is created, read, listed, updated and deleted', async () => {
    const id = idOf(await post('/api/domains').field('host', 'www.example.com').expect(201));
    const read = await get(`/api/domains/${id}`).expect(200);
    expect(read.body).toMatchObject({ data: { id, host: 'www.example.com', scheme: 'https://', is_enabled: true, last_datetime: null } });
    const list = await get('/api/domains?results_per_page=10').expect(200);
    expect(list.body).toMatchObject({ data: [{ id }], meta: { page: 1, results_per_page: 10, total: 1, total_pages: 1 } });

    await post(`/api/domains/${id}`).field('custom_index_url', 'https://example.com/welcome').expect(200);
    const updated = await get(`/api/domains/${id}`).expect(200);
    expect(updated.body).toMatchObject({ data: { custom_index_url: 'https://example.com/welcome' } });
    await remove(`/api/domains/${id}`).expect(200);
    await get(`/api/domains/${id}`).expect(404);
  });

  it('a notification handler is created with the settings of its type, and an unknown type is rejected', async () => {
    const fields = { name: 'Night shift', type: 'slack', slack: 'https://example.com/hook' };
    const id = idOf(await post('/api/notification-handlers').field(fields).expect(201));
    const read = await get(`/api/notification-handlers/${id}`).expect(200);
    expect(read.body).toMatchObject({ data: { id, name: 'Night shift', type: 'slack' } });
    const refused = await post('/api/notification-handlers')
      .field({ ...fields, type: 'pigeon' })
      .expect(400);
    expect(refused.body).toMatchObject({ errors: [{ code: 'invalid_parameter', source: { name: 'type' } }] });
  });

  it('notifications are listed in pages', async () => {
    const list = await get('/api/notifications').expect(200);
    expect(list.body).toMatchObject({ data: [], meta: { total: 0, total_pages: 0 }, links: { next: null, prev: null } });
  });

  it('GET /scheduling lists the collection that `api` names', async () => {
    await get('/scheduling?api=agendamentos&orderby=nome&sort=desc').expect(200);
    await get('/scheduling?api=servicos&servicos-id=1').expect(404);
    await get('/scheduling?api=clientes').expect(400);
  });
});
