/** @mysql whole */
import { closeSync, openSync } from 'node:fs';
import { Dialect } from '../../../src/platform/database/dialect';
import { WriteExecutor } from '../../../src/platform/database/writes/transactions';
import { Shutdown } from '../../../src/platform/http/server/http-server';
import { useApplication } from '../../support/http/application';
import { onMysql } from '../../support/servers/database';
import { expectErrors } from '../../support/http/errors';

const { application } = useApplication();

test.each(['/health/live', '/health/live/', '/health/ready', '/health/ready/'])('GET %s needs no key', async (path) => {
  const response = await application().client().get(path);
  expect(response.status).toBe(200);
  expect(response.text).toBe('{"status":"ok"}');
});

test('during shutdown the process is live but not ready', async () => {
  const shutdown = application().app.get(Shutdown);
  shutdown.isDraining = true;
  const ready = await application().client().get('/health/ready');
  const live = await application().client().get('/health/live');
  shutdown.isDraining = false;

  expectErrors(ready, { code: 'unavailable' });
  expect(ready.headers['retry-after']).toMatch(/^\d+$/);
  expect(live.status).toBe(200);
});

test('without its database the process is live but not ready', async () => {
  const { dataSource } = application();
  await dataSource.destroy();
  const ready = await application().client().get('/health/ready');
  const live = await application().client().get('/health/live');
  const other = openSync(__filename, 'r'); // takes the number of the database's descriptor
  await dataSource.initialize();

  expectErrors(ready, { code: 'unavailable' });
  expect(live.status).toBe(200);
  await application().client().get('/health/ready').expect(200);
  closeSync(other);
});

test('readiness does not wait for a pooled connection', async () => {
  let begun = 0;
  let end = () => {};
  const held = new Promise<void>((resolve) => (end = resolve));
  const work = () =>
    application()
      .app.get(WriteExecutor)
      .run(() => (begun++, held));
  const all = Array.from({ length: 10 }, work);
  const readers = Array.from({ length: onMysql ? 10 : 0 }, () => application().dataSource.createQueryRunner());
  await Promise.all(readers.map((reader) => reader.connect()));
  while (begun < (onMysql ? 10 : 1)) await new Promise(setImmediate); // the embedded database has one writer at a time
  try {
    expect(application().app.get(Dialect).poolUsage?.().idle ?? 0).toBe(0);
    await application().client().get('/health/ready').expect(200);
  } finally {
    end();
    await Promise.all([...all, ...readers.map((reader) => reader.release())]);
  }
});
