import { Column, Entity, Table } from 'typeorm';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountRecord } from '../src/auth/accounts/account-owned';
import { Records } from '../src/database/records/records';
import { RecordField } from '../src/http/openapi/record-schema';
import { flag, generatedId, integer, text, time, varchar } from '../src/database/migrations/columns';
import { TestApplication } from './support/application';
import { createDatabase, type TestDatabase } from './support/database';

@Entity('gauges')
class Gauge extends AccountRecord {
  @Column({ type: 'varchar', length: 32 })
  name: string;

  @Column({ type: 'boolean' })
  is_active = true;

  @Column({ type: 'simple-json' })
  limits: object = { max: 100 };

  /** Shown nowhere. */
  @Column({ type: 'varchar', length: 32 })
  note = '';
}

class GaugeRecord {
  @RecordField('integer', 7)
  id: number;

  @RecordField('boolean', true)
  is_active: boolean;

  @RecordField('object', {})
  limits: object;

  @RecordField('string', 'Boiler')
  name: string;

  @RecordField('string', null)
  last_datetime: string | null;
}

class MisspelledRecord {
  @RecordField('string', 'Boiler')
  nmae: string;
}

@Module({ imports: [TypeOrmModule.forFeature([Gauge])] })
class GaugesModule {}

let database: TestDatabase;
let application: TestApplication;
let records: Records;
let context: { accountId: number; keyId: number; requestId: string };
const table = () => records.table<GaugeRecord>(Gauge, GaugeRecord);

beforeAll(async () => {
  database = await createDatabase();
  application = await TestApplication.start(database.env, GaugesModule);
  const columns = [generatedId(), integer('account_id'), varchar('name', 32), flag('is_active'), text('limits'), varchar('note', 32)];
  const runner = application.dataSource.createQueryRunner();
  await runner.createTable(new Table({ name: 'gauges', columns: [...columns, time('last_datetime', true), time('datetime')] }));
  await runner.release();
  records = application.app.get(Records);
  const { id } = await application.createAccount();
  context = { accountId: id, keyId: 1, requestId: 'a' };
});

afterAll(async () => {
  await application.stop();
  await database.drop();
});

test('a new record has the initial values of its entity, with columns in the order and types of its DTO', async () => {
  const id = await records.insert(table(), context, { name: 'Boiler' });
  const { record } = await records.find(table(), context.accountId, id);
  expect(JSON.stringify(record)).toBe(`{"id":${id},"is_active":true,"limits":{"max":100},"name":"Boiler","last_datetime":null}`);
});

test('an update writes the given values and its time', async () => {
  const id = await records.insert(table(), context, { name: 'Boiler', is_active: false });
  await records.update(table(), context, id, { limits: { min: 1 }, name: undefined });
  const { record } = await records.find(table(), context.accountId, id);
  expect(record).toEqual({ id, is_active: false, limits: { min: 1 }, name: 'Boiler', last_datetime: expect.any(String) as string });
});

test('an update may await statements of its own transaction, which a failure undoes', async () => {
  const id = await records.insert(table(), context, { name: 'Boiler' });
  const notes = async () => (await application.rows('gauges')).map(({ note }) => note);
  const before = await notes();
  const update = (isOff: boolean) =>
    records.update(table(), context, id, async ({ name }, statements) => {
      await statements.write('UPDATE gauges SET note = ?', ['checked']);
      if (isOff) throw new Error('off');
      return { name: `${name} 2` };
    });
  await expect(update(true)).rejects.toThrow('off');
  expect(await notes()).toEqual(before);
  await update(false);
  expect((await records.find(table(), context.accountId, id)).record.name).toBe('Boiler 2');
  expect(new Set(await notes())).toEqual(new Set(['checked']));
});

test('a column that is not shown still changes the version', async () => {
  const id = await records.insert(table(), context, { name: 'Boiler' });
  const { record, version } = await records.find(table(), context.accountId, id);
  await application.dataSource.query('UPDATE gauges SET note = ? WHERE id = ?', ['leaks', id]);
  const later = await records.find(table(), context.accountId, id);
  expect(later.record).toEqual(record);
  expect(later.version).not.toBe(version);
});

test.each(['colour', 'name = 1, note', 'id', 'account_id'])('a key %s that is not a writable column never becomes SQL', async (key) => {
  const id = await records.insert(table(), context, { name: 'Boiler' });
  const refusal = `The entity Gauge has no column ${key} that a record reads or writes.`;
  await expect(records.update(table(), context, id, { [key]: 1 })).rejects.toThrow(refusal);
  expect(() => records.insert(table(), context, { name: 'Boiler', [key]: 1 })).toThrow(refusal);
});

test('a record DTO with a field that is not a column is refused when it is described', () => {
  expect(() => records.table<MisspelledRecord>(Gauge, MisspelledRecord)).toThrow('The entity Gauge has no column nmae');
});
