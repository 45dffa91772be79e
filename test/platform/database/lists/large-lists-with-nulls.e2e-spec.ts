/** @mysql always */
import { Dialect } from '../../../../src/platform/database/dialect';
import { type TestAccount, useApplication } from '../../../support/http/application';
import { DOMAINS, insertDomains } from '../../../support/areas/records';
import { sample } from '../../../support/jest/size';

const { application } = useApplication();
/** Large enough to have its orders walked. */
const MANY = 5_200;

interface Envelope {
  data: { id: number; last_datetime: string | null }[];
  meta: { total: number };
}

/** Again and again, until every page comes from the order's walk. */
async function expectPages({ id, client }: TestAccount, sort: 'asc' | 'desc'): Promise<void> {
  const rows: { id: number }[] = await application().dataSource.query(
    `SELECT id FROM domains WHERE account_id = ${id} ORDER BY last_datetime ${sort}, id ${sort}`,
  );
  const wanted = rows.map((row) => row.id);
  const reads = jest.spyOn(application().app.get(Dialect), 'read');
  const fromWalk = () => reads.mock.calls.filter(([sql]) => sql.includes('FROM domains WHERE id IN'));
  const pages = [1, 2, 3, 11, 21, 31, 52];
  while (fromWalk().length < pages.length) {
    reads.mockClear();
    for (const page of [...pages, 53]) {
      const path = `${DOMAINS}?orderby=last_datetime&sort=${sort}&results_per_page=100&page=${page}`;
      const { data, meta } = (await client.get(path).expect(200)).body as Envelope;
      expect([page, data.map((record) => record.id)]).toEqual([page, wanted.slice((page - 1) * 100, page * 100)]);
      expect([data.length, meta.total]).toEqual([page * 100 > MANY ? 0 : 100, MANY]);
    }
  }
  reads.mockRestore();
}

const SHARES = [
  ['no record', () => false],
  ['few records', (index: number) => index % 20 === 0],
  ['most records', (index: number) => index % 20 > 0],
  ['every record', () => true],
] satisfies [string, (index: number) => boolean][];

test.each(sample(SHARES, 1))('pages ordered by a time that %s lacks are right before the order is walked and after', async (_, isNull) => {
  const account = await application().createAccount();
  await insertDomains(application(), account.id, MANY, isNull);
  await expectPages(account, 'asc');
  await expectPages(account, 'desc');
});
