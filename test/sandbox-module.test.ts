import request from 'supertest';
import { startSandbox } from '../src/testing';

test('tries', async () => {
  const t0 = performance.now();
  const sandbox = await startSandbox();
  const t1 = performance.now();
  const account = await sandbox.account();
  const t2 = performance.now();
  await sandbox.account();
  const t3 = performance.now();
  const api = (path: string, form: Record<string, string>) =>
    request(sandbox.httpServer).post(path).set('Authorization', `Bearer ${account.key}`).send(form);
  const { body } = await api('/api/notification-handlers', {
    type: 'webhook',
    name: 'Pager',
    webhook: 'https://hooks.example.com/1',
  }).expect(201);
  const handler = (body as { data: { id: number } }).data.id;
  sandbox.answer({ handler_id: handler, answers: [], then: { status: 500 } });
  await api('/api/messages', { text: 'The backup failed.', handler_ids: String(handler) }).expect(201);
  const t4 = performance.now();
  await sandbox.settle();
  const t5 = performance.now();
  await sandbox.advance('22h');
  const t6 = performance.now();
  console.log({ start: t1 - t0, account: t2 - t1, second: t3 - t2, settle: t5 - t4, series: t6 - t5 });
  console.log(
    sandbox.sent().map(({ time, attempt, readable }) => [time, attempt, readable]),
    sandbox.sent()[0],
  );
  await sandbox.stop();
});
