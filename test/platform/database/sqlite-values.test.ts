// Runs on SQLite; in the whole run, on MySQL too.
import { DataSource } from 'typeorm';
import { useApplication } from '../../support/application';
import { onMysql } from '../../support/database';

const { application } = useApplication();

(onMysql ? describe.skip : describe)('binding values on the embedded database', () => {
  const read = (value: unknown) => application().app.get(DataSource).query<{ x: unknown }[]>('SELECT ? AS x', [value]);

  test.each<[string, unknown, unknown]>([
    ['null', null, null],
    ['a boolean', true, 1],
    ['a number', 7, 7],
    ['bytes', Buffer.from('ab'), Buffer.from('ab')],
  ])('%s is bound', async (_name, value, expected) => {
    expect(await read(value)).toEqual([{ x: expected }]);
    expect(
      await application()
        .app.get(DataSource)
        .transaction((manager) => manager.query('SELECT ? AS x', [value])),
    ).toEqual([{ x: expected }]);
  });

  test.each<[string, unknown]>([
    ['an object', { a: 1 }],
    ['a date', new Date()],
  ])('%s is refused without a crash', async (_name, value) => {
    await expect(read(value)).rejects.toThrow('can only bind');
    expect(await read(1)).toEqual([{ x: 1 }]);
  });

  test('COMMIT in a transaction is refused, and a SELECT after a comment is still a read', async () => {
    const dataSource = application().app.get(DataSource);
    await expect(dataSource.transaction((manager) => manager.query('/* now */ COMMIT'))).rejects.toThrow('not with SQL statements');
    await dataSource.transaction(async () => expect(await dataSource.query('/* report */ SELECT 1 AS x')).toEqual([{ x: 1 }]));
  });
});
