/** @mysql never */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Extension } from '../../src/platform/extensions/extension';
import { withApplication } from '../support/http/application';
import { createDatabase } from '../support/servers/database';

const ROOT = join(__dirname, '../..');
/** In the root, from where the service’s packages resolve. */
const FILE = join(ROOT, `.readme-extension-${process.pid}.ts`);

afterAll(() => rmSync(FILE, { force: true }));

test('the extension in README.md serves its route', async () => {
  const [, code] = /^```ts\n(.*?)^```$/ms.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))!;
  writeFileSync(FILE, code);
  const { default: extension } = (await import(FILE)) as { default: Extension };
  const database = await createDatabase();
  await withApplication(
    database.env,
    async (application) => {
      const { id, client } = await application.createAccount();
      expect((await client.get('/api/greeting').expect(200)).body).toEqual({ data: { text: `Hello, account ${id}` } });
    },
    extension,
  );
  await database.drop();
});
