// Runs on SQLite; in the whole run, on MySQL too.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { runCommand } from '../../support/command';
import { withServer } from '../../support/server-process';
import { createDatabase } from '../../support/database';

test('health exits with 0 when the service is ready, else with 1 and the reason', async () => {
  const database = await createDatabase();
  let freed = 0;
  await withServer({ ...database.env, DEMO: 'off' }, async (_server, port) => {
    expect(await runCommand({ PORT: String(port) }, ['health'])).toEqual({ code: 0, stdout: 'Ready.\n', stderr: '' });
    expect(await runCommand({ PORT: String(port), HOST: '127.0.0.1' }, ['health'])).toMatchObject({ code: 0 });
    freed = port;
  });
  expect(await runCommand({ PORT: String(freed) }, ['health'])).toEqual({
    code: 1,
    stdout: '',
    stderr: `frontdesk: No response from http://127.0.0.1:${freed}/health/ready: ${`connect ECONNREFUSED 127.0.0.1:${freed}`}\n`,
  });
  await database.drop();
});

test('health says that a service is not ready', async () => {
  const server = createServer((_, response) => response.writeHead(503).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await runCommand({ PORT: String(port), HOST: '127.0.0.1' }, ['health'])).toEqual({
    code: 1,
    stdout: '',
    stderr: `frontdesk: Not ready: http://127.0.0.1:${port}/health/ready returned 503.\n`,
  });
  server.close();
});
