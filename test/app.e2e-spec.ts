import type { Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import request from 'supertest';
import { createApplication } from '../src/programs/service/application';
import { AccountsService } from '../src/auth/accounts/accounts.service';
import { ApiKeysService } from '../src/auth/accounts/api-keys.service';
import { Config } from '../src/platform/config/config';
import { createDatabase, type TestDatabase } from './support/database';

/** A minimal test over HTTP: the application as production boots it, on its own empty database. */
describe('Domains (e2e)', () => {
  let app: INestApplication<Server>;
  let database: TestDatabase;
  let key: string;

  beforeAll(async () => {
    database = await createDatabase();
    app = await createApplication(new Config({ ...database.env, LOG_LEVEL: 'silent' }));
    const account = await app.get(AccountsService).create('acme');
    ({ key } = await app.get(ApiKeysService).create({ accountId: account.id, name: 'test' }));
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  it('POST /api/domains creates a domain, GET reads it', async () => {
    const created = await request(app.getHttpServer())
      .post('/api/domains')
      .auth(key, { type: 'bearer' })
      .field('host', 'www.example.com')
      .expect(201);
    const { id } = (created.body as { data: { id: number } }).data;

    const read = await request(app.getHttpServer()).get(`/api/domains/${id}`).auth(key, { type: 'bearer' }).expect(200);
    expect(read.body).toMatchObject({ data: { id, host: 'www.example.com', is_enabled: true } });
  });

  it('GET /api/domains without a key is a 401', () => {
    return request(app.getHttpServer()).get('/api/domains').expect(401);
  });
});
