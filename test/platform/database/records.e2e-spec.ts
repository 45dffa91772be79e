/** @mysql always */
import { Column, type ColumnOptions, DataSource, DeleteDateColumn, Entity, Table } from 'typeorm';
import { Injectable, Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountRecord } from '../../../src/auth/accounts/account.entity';
import { Records } from '../../../src/platform/database/records/records';
import { RecordField } from '../../../src/platform/http/record-fields';
import { flag, generatedId, integer, text, time, varchar } from '../../../src/platform/database/migrations/columns';
import { TestApplication } from '../../support/http/application';
import { createDatabase, onMysql, type TestDatabase } from '../../support/servers/database';
import { createTableOf } from '../../support/extensions/ledger';

@Entity('gauges')
class Gauge extends AccountRecord {
  @Column({ type: 'varchar', length: 32 })
  name: string;

  @Column({ type: 'boolean' })
  is_active = true;

  @Column({ type: 'simple-json' })
  limits: object = { max: 100 };

  /** In no DTO. */
  @Column({ type: 'varchar', length: 32 })
  note = '';
}

class GaugeRecord {
  @RecordField({ type: 'integer', example: 7 })
  id: number;

  @RecordField({ type: 'boolean', example: true })
  is_active: boolean;

  @RecordField({ type: 'object', example: {} })
  limits: object;

  @RecordField({ type: 'string', example: 'Boiler' })
  name: string;

  @RecordField({ type: 'string', example: null })
  last_datetime: string | null;
}

class MisspelledRecord {
  @RecordField({ type: 'string', example: 'Boiler' })
  nmae: string;
}

/** Values of each type, at its limits. */
const CARRIED: [type: ColumnOptions['type'], ...values: unknown[]][] = [
  [String, ' é😀 ', ''],
  ['varchar', ' é😀 ', ''],
  ['text', 'é'.repeat(30_000), 'ab '],
  [Number, 2 ** 31 - 1, -(2 ** 31), 0],
  ['int', 2 ** 31 - 1, -(2 ** 31), 0],
  ['integer', 2 ** 31 - 1, -(2 ** 31), 0],
  ['tinyint', 127, -128],
  ['smallint', 2 ** 15 - 1, -(2 ** 15)],
  ['mediumint', 2 ** 23 - 1, -(2 ** 23)],
  ['bigint', Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
  ['double', 0.1 + 0.2, Number.MAX_VALUE, Number.MIN_VALUE, 3, 2 ** 53 + 2],
  [Boolean, true, false],
  ['boolean', true, false],
  ['simple-json', { b: [1, 'é'], a: null }, [], 'x', 0],
];

/** At least one database returns their values differently, or changed. */
const REFUSED: ColumnOptions['type'][] = [
  'decimal',
  'numeric',
  'float',
  'real',
  'date',
  'datetime',
  'time',
  'blob',
  'json',
  'nchar',
  'simple-array',
  Date,
  ...(onMysql ? (['char', 'timestamp', 'year', 'bit', 'binary', 'varbinary', 'longblob', 'point'] as const) : []),
];

/** An entity with the column `value`. */
function entityOf(options: ColumnOptions, name = String(options.type).replace(/\W/g, '_')): Type<{ value: unknown }> {
  class Sample extends AccountRecord {
    value: unknown;
  }
  Column({ nullable: true, ...options })(Sample.prototype, 'value');
  Entity(`samples_${name}`)(Sample);
  return Sample;
}

class SampleRecord {
  @RecordField({ type: 'string', example: 'x' })
  value: unknown;
}

class NothingRecord {}

@Entity('soft_gauges')
class SoftGauge extends AccountRecord {
  @DeleteDateColumn()
  deleted: Date | null;
}

@Entity('long_gauges')
class MaintenanceReportOfTheSampleGauge extends AccountRecord {}

const carried = CARRIED.map(([type, ...values]) => ({ type, values, entity: entityOf({ type }) }));
const refused = REFUSED.map((type) => ({ type: typeof type === 'function' ? type.name : type, entity: entityOf({ type }) }));
const Encrypted = entityOf(
  { type: 'varchar', transformer: { to: (value: string) => `${value}!`, from: (value: string) => value } },
  'encrypted',
);

@Module({
  imports: [
    TypeOrmModule.forFeature([
      Gauge,
      SoftGauge,
      MaintenanceReportOfTheSampleGauge,
      Encrypted,
      ...[...carried, ...refused].map(({ entity }) => entity),
    ]),
  ],
})
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

test('a new record has its entity’s defaults, with the fields and types of its DTO in order', async () => {
  const id = await records.insert(table(), context, { name: 'Boiler' });
  const { record } = await records.find(table(), context.accountId, id);
  expect(JSON.stringify(record)).toBe(`{"id":${id},"is_active":true,"limits":{"max":100},"name":"Boiler","last_datetime":null}`);
});

test('an update writes the given values and last_datetime', async () => {
  const id = await records.insert(table(), context, { name: 'Boiler', is_active: false });
  await records.update(table(), context, id, { limits: { min: 1 }, name: undefined });
  const { record } = await records.find(table(), context.accountId, id);
  expect(record).toEqual({ id, is_active: false, limits: { min: 1 }, name: 'Boiler', last_datetime: expect.any(String) as string });
});

test('statements that an update runs in its transaction are rolled back when it fails', async () => {
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

test('a change of a column outside the DTO changes the version', async () => {
  const id = await records.insert(table(), context, { name: 'Boiler' });
  const { record, version } = await records.find(table(), context.accountId, id);
  await application.dataSource.query('UPDATE gauges SET note = ? WHERE id = ?', ['leaks', id]);
  const later = await records.find(table(), context.accountId, id);
  expect(later.record).toEqual(record);
  expect(later.version).not.toBe(version);
});

test.each(['colour', 'name = 1, note', 'id', 'account_id'])('the key %s, which is no writable column, never becomes SQL', async (key) => {
  const id = await records.insert(table(), context, { name: 'Boiler' });
  const refusal = `The entity Gauge has no column ${key} that records may read or write.`;
  await expect(records.update(table(), context, id, { [key]: 1 })).rejects.toThrow(refusal);
  await expect(records.insert(table(), context, { name: 'Boiler', [key]: 1 })).rejects.toThrow(refusal);
});

test('a DTO with a field that is no column is rejected', () => {
  expect(() => records.table<MisspelledRecord>(Gauge, MisspelledRecord)).toThrow('The entity Gauge has no column nmae');
});

test.each(carried)('a column of type $type returns the values that were written', async ({ entity, values }) => {
  await createTableOf(application, entity);
  const samples = records.table<SampleRecord>(entity, SampleRecord);
  for (const value of [...values, null]) {
    const id = await records.insert(samples, context, { value });
    expect((await records.find(samples, context.accountId, id)).record).toEqual({ value });
  }
});

test.each(refused)('a column of type $type is rejected', ({ type, entity }) => {
  const refusal = `Records doesn't support the column Sample.value: databases return the type ${type} differently. Use varchar, text,`;
  for (const record of [SampleRecord, NothingRecord]) expect(() => records.table(entity, record)).toThrow(refusal);
});

test('a rejected table stops the start with an error that names the column', async () => {
  let opened: DataSource | undefined;
  @Injectable()
  class Prices {
    readonly table: unknown;

    constructor(records: Records, dataSource: DataSource) {
      opened = dataSource;
      this.table = records.table<SampleRecord>(Encrypted, SampleRecord);
    }
  }

  @Module({ imports: [GaugesModule], providers: [Prices] })
  class PricesModule {}

  await expect(TestApplication.start(database.env, PricesModule)).rejects.toThrow("Records doesn't support the column Sample.value:");
  await opened!.destroy(); // a failed start leaves no application to close
});

test('a column with a transformer, or a date that TypeORM sets, is rejected', () => {
  const refusal = "Records doesn't support the column Sample.value: its transformer would not run.";
  for (const record of [SampleRecord, NothingRecord]) expect(() => records.table(Encrypted, record)).toThrow(refusal);
  expect(() => records.table(SoftGauge, NothingRecord)).toThrow(
    "Records doesn't support the column SoftGauge.deleted: databases return the type ",
  );
});

test('an entity whose record name is too long for the audit is rejected', () => {
  const refusal =
    'The record name "maintenance report of the sample gauge" must have at most 32 characters; by default, it is derived from the entity\'s class.';
  expect(() => records.table(MaintenanceReportOfTheSampleGauge, NothingRecord)).toThrow(refusal);
});
