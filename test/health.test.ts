import { Shutdown } from '../src/operations/shutdown';
import { TestApplication, useApplication } from './support/application';
import { createDatabase } from './support/database';
import { expectErrors } from './support/errors';

const { application } = useApplication();

test.each(['/health/live', '/health/live/', '/health/ready', '/health/ready/'])('%s answers without a key', async (path) => {
  const response = await application().client().get(path);
  expect(response.status).toBe(200);
  expect(response.text).toBe('{"status":"ok"}');
});

test('a shutdown that has begun takes the process out of service, not out of life', async () => {
  const shutdown = application().app.get(Shutdown);
  shutdown.begun = true;
  const ready = await application().client().get('/health/ready');
  const live = await application().client().get('/health/live');
  shutdown.begun = false;

  expectErrors(ready, { code: 'unavailable' });
  expect(ready.headers['retry-after']).toMatch(/^\d+$/);
  expect(live.status).toBe(200);
});

test('a process that has lost its database is not ready, and alive', async () => {
  const database = await createDatabase();
  const lost = await TestApplication.start(database.env);
  await lost.dataSource.destroy();
  expectErrors(await lost.client().get('/health/ready'), { code: 'unavailable' });
  expect((await lost.client().get('/health/live')).status).toBe(200);

  await lost.dataSource.initialize();
  expect((await lost.client().get('/health/ready')).status).toBe(200);
  await lost.stop();
  await database.drop();
});
