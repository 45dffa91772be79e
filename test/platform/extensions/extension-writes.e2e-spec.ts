/** @mysql whole */
import { Body, Controller, Delete, Get, HttpCode, Injectable, Logger, Module, Param, ParseIntPipe, Post, Query } from '@nestjs/common';
import { IsOptional } from 'class-validator';
import { PartialType } from '@nestjs/swagger';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Response } from 'supertest';
import { Column, DataSource, Entity, Index, JoinColumn, ManyToOne, type Repository } from 'typeorm';
import { AccountRecord } from '../../../src/auth/accounts/account.entity';
import { AccountId, WriteContextOf } from '../../../src/auth/caller';
import { Scope } from '../../../src/auth/route-policies';
import { type FieldType, text } from '../../../src/platform/common/field-types';
import { NOW, type RecordColumns } from '../../../src/platform/common/records';
import { timestamp } from '../../../src/platform/common/time';
import type { WriteContext } from '../../../src/platform/common/write-context';
import { Records } from '../../../src/platform/database/records/records';
import { logAuditedEvent } from '../../../src/platform/database/events/event-log';
import { WriteExecutor } from '../../../src/platform/database/writes/transactions';
import { ParseRecordIdPipe } from '../../../src/platform/http/input/parse-record-id.pipe';
import { IsText, rule } from '../../../src/platform/http/input/rules';
import { RecordField } from '../../../src/platform/http/record-fields';
import { ApiCreate, ApiDelete, ApiRead, ApiUpdate, Paginated } from '../../../src/platform/http/routes';
import { contains, listQuery, PageQuery } from '../../../src/platform/http/list-query';
import { asId } from '../../../src/platform/http/responses';
import { createLogger } from '../../../src/platform/observability/logging';
import { type TestAccount, useApplication } from '../../support/http/application';
import { idOf } from '../../support/http/client';
import { stopClock } from '../../support/jest/clock';
import { onMysql } from '../../support/servers/database';
import { insertRows } from '../../support/areas/insert-rows';
import { createTableOf } from '../../support/extensions/ledger';
import { RouteTable } from '../../support/http/route-table';
import { importText } from '../../support/areas/transfer';

@Entity('vouchers')
@Index(['account_id', 'code'], { unique: true })
@Index(['account_id', 'kind', 'place'], { unique: true })
class Voucher extends AccountRecord {
  @Column({ type: 'varchar', length: 32 })
  code: string;

  @Column({ type: 'varchar', length: 32, nullable: true })
  kind: string | null = null;

  @Column({ type: 'int', nullable: true })
  place: number | null = null;

  @Column({ type: 'varchar', length: 64, nullable: true })
  note: string | null = null;

  @Column({ type: 'varchar', length: 192, default: '' })
  note_folded: string;

  @Column({ type: 'int' })
  max_redemptions = 1;

  @Column({ type: 'int' })
  redeemed = 0;
}

@Entity('voucher_prints')
class VoucherPrint extends AccountRecord {
  @Column({ type: 'int' })
  voucher_id: number;

  @ManyToOne(() => Voucher, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'voucher_id' })
  voucher: Voucher;
}

@Entity('voucher_uses')
class VoucherUse extends AccountRecord {
  @Column({ type: 'int' })
  voucher_id: number;

  @ManyToOne(() => Voucher, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'voucher_id' })
  voucher: Voucher;

  @Column({ type: 'int', nullable: true })
  print_id: number | null = null;

  @ManyToOne(() => VoucherPrint, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'print_id' })
  print: VoucherPrint;
}

const PLACE: FieldType<number> = {
  expected: 'an integer from 1 to 999',
  schema: { type: 'integer', minimum: 1, maximum: 999, examples: [5] },
  parse: (value) => (/^[1-9]\d{0,2}$/.test(value) ? Number(value) : undefined),
};
const IsPlace = rule('isPlace', PLACE);

class CreateVoucher {
  @IsText(32, 'Code.', { example: 'SPRING10' })
  code: string;

  @IsOptional()
  @IsText(32, 'Kind.', { example: 'gift', nullable: true })
  kind?: string | null;

  @IsOptional()
  @IsPlace('Place.', { nullable: true })
  place?: number | null;

  @IsText(64, 'Note.', { example: 'For Ana', nullable: true })
  note: string | null;
}

class UpdateVoucher extends PartialType(CreateVoucher) {}

const IsId = rule<number>('isId', { expected: 'an id', schema: { type: 'integer', examples: [7] }, parse: Number });

class CreateUse {
  @IsId('Voucher.')
  voucher_id: number;

  @IsOptional()
  @IsId('Print.')
  print_id?: number;
}

class UpdateUse extends PartialType(CreateUse) {}

class VoucherQuery extends listQuery({ filters: { note: contains('note_folded', 'ana') }, orderby: ['code'] }) {}

class VoucherRecord {
  @RecordField({ type: 'integer', example: 7 })
  id: number;

  @RecordField({ type: 'string', example: 'SPRING10' })
  code: string;

  @RecordField({ type: 'string', example: 'gift', nullable: true })
  kind: string | null;

  @RecordField({ type: 'integer', example: 5, nullable: true })
  place: number | null;

  @RecordField({ type: 'string', example: 'For Ana', nullable: true })
  note: string | null;

  @RecordField({ type: 'string', example: null, nullable: true })
  last_datetime: string | null;
}

class IdRecord {
  @RecordField({ type: 'integer', example: 7 })
  id: number;
}

@Injectable()
class Vouchers {
  readonly table = this.records.table<VoucherRecord>(Voucher, VoucherRecord);
  readonly prints = this.records.table<IdRecord>(VoucherPrint, IdRecord);
  readonly uses = this.records.table<IdRecord>(VoucherUse, IdRecord);

  constructor(
    readonly records: Records,
    readonly executor: WriteExecutor,
    readonly dataSource: DataSource,
  ) {}

  locked(id: number): Promise<unknown> {
    return this.dataSource.transaction((manager) => manager.findOne(Voucher, { where: { id }, lock: { mode: 'pessimistic_write' } }));
  }
}

@Scope('domains:write')
@Controller('vouchers')
class VouchersController {
  constructor(private readonly vouchers: Vouchers) {}

  @Get()
  @Paginated(VoucherRecord, 'List vouchers')
  findPage(@AccountId() accountId: number, @Query() query: VoucherQuery) {
    return this.vouchers.records.findPage(this.vouchers.table, accountId, query);
  }

  @Get(':voucher_id')
  @ApiRead('voucher_id', VoucherRecord, 'Read a voucher')
  async find(@AccountId() accountId: number, @Param('voucher_id', ParseRecordIdPipe) id: number) {
    return { data: (await this.vouchers.records.find(this.vouchers.table, accountId, id)).record };
  }

  @Post()
  @ApiCreate('Create a voucher')
  create(@WriteContextOf('vouchers.create') context: WriteContext, @Body() input: CreateVoucher) {
    return asId(this.vouchers.records.insert(this.vouchers.table, context, { ...input }));
  }

  @Post(':voucher_id')
  @HttpCode(200)
  @ApiUpdate('voucher_id', 'Update a voucher')
  update(
    @WriteContextOf('vouchers.update') context: WriteContext,
    @Param('voucher_id', ParseRecordIdPipe) id: number,
    @Body() changes: UpdateVoucher,
  ) {
    return asId(this.vouchers.records.update(this.vouchers.table, context, id, { ...changes }));
  }

  @Delete(':voucher_id')
  @ApiDelete('voucher_id', 'Delete a voucher')
  delete(@WriteContextOf('vouchers.delete') context: WriteContext, @Param('voucher_id', ParseRecordIdPipe) id: number) {
    return asId(this.vouchers.records.delete(this.vouchers.table, context, id));
  }

  @Delete(':id/by-repository')
  @HttpCode(204)
  async deleteByRepository(@Param('id', ParseIntPipe) id: number) {
    await this.vouchers.dataSource.getRepository(Voucher).delete(id);
  }

  @Post(':id/copy')
  async copy(@Param('id', ParseIntPipe) id: number) {
    const vouchers = this.vouchers.dataSource.getRepository(Voucher);
    await vouchers.save({ ...(await vouchers.findOneByOrFail({ id })), id: undefined });
  }

  @Post(':id/lock')
  lock(@Param('id', ParseIntPipe) id: number) {
    return this.vouchers.locked(id);
  }
}

@Scope('domains:write')
@Controller('voucher-prints')
class PrintsController {
  constructor(private readonly vouchers: Vouchers) {}

  @Get()
  @Paginated(IdRecord, 'List prints')
  findPage(@AccountId() accountId: number, @Query() query: PageQuery) {
    return this.vouchers.records.findPage(this.vouchers.prints, accountId, query);
  }
}

@Scope('domains:write')
@Controller('voucher-uses')
class UsesController {
  constructor(private readonly vouchers: Vouchers) {}

  @Post('by-repository')
  async createByRepository(@AccountId() account_id: number, @Body() input: CreateUse) {
    await this.vouchers.dataSource.getRepository(VoucherUse).save({ ...input, account_id });
  }

  @Post()
  @ApiCreate('Create a use')
  create(@WriteContextOf('uses.create') context: WriteContext, @Body() input: CreateUse) {
    return asId(this.vouchers.records.insert(this.vouchers.uses, context, { ...input }));
  }

  @Post(':use_id')
  @HttpCode(200)
  @ApiUpdate('use_id', 'Update a use')
  update(@WriteContextOf('uses.update') context: WriteContext, @Param('use_id', ParseRecordIdPipe) id: number, @Body() changes: UpdateUse) {
    return asId(this.vouchers.records.update(this.vouchers.uses, context, id, { ...changes }));
  }

  @Post(':id/by-repository')
  async updateByRepository(@Param('id', ParseIntPipe) id: number, @Body() changes: UpdateUse) {
    await this.vouchers.dataSource.getRepository(VoucherUse).update(id, { ...changes });
  }
}

@Module({
  imports: [TypeOrmModule.forFeature([Voucher, VoucherUse, VoucherPrint])],
  providers: [Vouchers],
  controllers: [VouchersController, PrintsController, UsesController],
})
class VouchersModule {}

/** The columns of a file of vouchers. */
const VOUCHER_COLUMNS: RecordColumns = {
  name: 'vouchers',
  id: { name: 'id', column: 'id' },
  fields: ['id', 'code', 'kind', 'place'],
  columns: [
    { name: 'code', type: text(32, 'SPRING10') },
    { name: 'kind', type: text(32, 'gift'), fallback: null },
    { name: 'place', type: PLACE, json: 'number', fallback: null },
    { name: 'max_redemptions', type: PLACE, json: 'number', fallback: 1 },
    { name: 'redeemed', type: PLACE, json: 'number', fallback: 0 },
    { name: 'datetime', type: text(19, ''), fallback: NOW },
  ],
};

const { application } = useApplication({}, { name: 'vouchers', modules: [VouchersModule], importable: [VOUCHER_COLUMNS] });
/** Enough rows that the total is cached. */
const MANY = 2_400;
const SOME_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
let account: TestAccount;
let codes = 0;

beforeAll(async () => {
  for (const entity of [Voucher, VoucherPrint, VoucherUse]) await createTableOf(application(), entity);
});
beforeEach(async () => (account = await application().createAccount()));

const send = (method: string, path: string, body?: object) => {
  const request = account.client.send(method, `/vouchers${path}`);
  return body ? request.send(body) : request;
};
const newVoucher = (values: object = {}) => ({ code: `code-${++codes}`, note: 'For Ana', ...values });
const create = async (values?: object) => idOf(await send('POST', '', newVoucher(values)).expect(201));
const read = async (id: number) => ((await send('GET', `/${id}`).expect(200)).body as { data: Record<string, unknown> }).data;
const vouchers = (): Repository<Voucher> => application().dataSource.getRepository(Voucher);
const errorsOf = ({ status, body }: Response) => {
  const { errors } = body as { errors: { code: string; detail: string; source?: { in: string; name: string } }[] };
  return { status, errors: errors.map(({ code, detail, source }) => [code, source?.name, detail]) };
};

describe('a write that violates a foreign key', () => {
  const UNKNOWN_ID = 999_999_999;
  const DETAIL = 'This record refers to one that does not exist, or others refer to it.';
  const refused = { status: 409, errors: [['conflict', undefined, DETAIL]] };
  const sendUse = (path: string, body: Record<string, number>) => account.client.send('POST', `/voucher-uses${path}`).send(body);

  test('returns 409 for deleting a referenced record, through Records and TypeORM', async () => {
    const id = await create();
    await insertRows(application().dataSource, VoucherUse, [{ account_id: account.id, voucher_id: id, datetime: timestamp(Date.now()) }]);
    for (const path of ['', '/by-repository']) expect(errorsOf(await send('DELETE', `/${id}${path}`))).toEqual(refused);
    await read(id);
  });

  test.each(['', '/by-repository'])('returns 409 for a reference to a missing record, on create and update%s', async (path) => {
    const voucher_id = await create();
    expect(errorsOf(await sendUse(path, { voucher_id: UNKNOWN_ID }))).toEqual(refused);
    const id = idOf(await sendUse('', { voucher_id }).expect(201));
    expect(errorsOf(await sendUse(`/${id}${path}`, { print_id: UNKNOWN_ID }))).toEqual(refused);
  });
});

describe('a unique key within an account', () => {
  const taken = { status: 409, errors: [['conflict', undefined, 'Another record has a value that must be unique.']] };

  test('rejects a duplicate on create and update, through Records and TypeORM', async () => {
    const id = await create({ code: 'SPRING10' });
    const other = await create();
    expect(errorsOf(await send('POST', '', newVoucher({ code: 'SPRING10' })))).toEqual(taken);
    expect(errorsOf(await send('POST', `/${other}`, { code: 'SPRING10' }))).toEqual(taken);
    expect(errorsOf(await send('POST', `/${id}/copy`))).toEqual(taken);
  });

  test('allows the same values in another account, and repeated nulls', async () => {
    const values = { code: 'SUMMER', kind: 'gift', place: 5 };
    await create(values);
    expect(errorsOf(await send('POST', '', newVoucher({ kind: 'gift', place: 5 })))).toEqual(taken);
    await create({ kind: 'gift', place: null });
    await create({ kind: 'gift', place: null });
    account = await application().createAccount();
    await create(values);
  });

  test('is checked by imports and dry runs, within the file and against the table', async () => {
    const holder = await create({ code: 'TAKEN', kind: 'gift', place: 1 });
    const other = await create({ code: 'OTHER' });
    const file = `id,code,kind,place\n,A,gift,2\n,B,gift,2\n,A,,\n${other},TAKEN,,\n,C,,\n,D,,\n`;
    for (const isDryRun of [true, false]) {
      const { printed, read: found, bad } = await importText(application(), account.id, 'vouchers', file, { isDryRun });
      expect({ found, bad, printed }).toEqual({
        found: 6,
        bad: 3,
        printed: [
          'record 2: kind and place appear in the file more than once.',
          'record 3: code appears in the file more than once.',
          'record 4: code is taken by another record.',
        ],
      });
    }
    const good = 'code,kind,place\nTAKEN,gift,1\nE,gift,\nF,gift,\n';
    expect(await importText(application(), account.id, 'vouchers', good)).toMatchObject({ inserted: 2, updated: 1, bad: 0 });
    expect(await read(holder)).toMatchObject({ code: 'TAKEN', place: 1 });
    const stranger = await application().createAccount();
    expect(await importText(application(), stranger.id, 'vouchers', good)).toMatchObject({ inserted: 3, updated: 0 });
  });
});

describe('a nullable field', () => {
  test('is cleared by null in JSON, with its folded text, and kept when omitted', async () => {
    const id = await create({ kind: 'gift', place: 5, note: 'Für Ana' });
    const listed = async () => ((await send('GET', '?note=fur')).body as { meta: { total: number } }).meta.total;
    expect(await listed()).toBe(1);
    await send('POST', `/${id}`, { kind: null, place: null }).expect(200);
    expect(await read(id)).toMatchObject({ kind: null, place: null, note: 'Für Ana' });
    await send('POST', `/${id}`, { note: null }).expect(200);
    expect(await read(id)).toMatchObject({ note: null });
    expect(await listed()).toBe(0);
    await create({ note: null });
  });

  test('may be required, and other fields reject null', async () => {
    expect(errorsOf(await send('POST', '', { code: null, kind: null }))).toEqual({
      status: 400,
      errors: [
        ['missing_parameter', 'note', 'note is required.'],
        ['invalid_parameter', 'code', 'code must be text, not null.'],
      ],
    });
  });

  test('rejects an empty value in a form', async () => {
    const id = await create();
    const refusedOf = async (path: string, fields: Record<string, string>) =>
      errorsOf(await account.client.post(`/vouchers${path}`, fields)).errors.map(([code, name]) => `${code} ${name}`);
    expect(await refusedOf(`/${id}`, { kind: '' })).toEqual(['invalid_parameter kind']);
    expect(await refusedOf('', { code: 'x', note: '' })).toEqual(['missing_parameter note']);
  });

  test('documents the type null in OpenAPI', async () => {
    const { content } = (await RouteTable.of(application())).document;
    for (const name of ['CreateVoucher', 'UpdateVoucher']) {
      const { properties } = content.components!.schemas![name] as { properties: Record<string, { type: unknown }> };
      expect([properties.code.type, properties.kind.type, properties.place.type, properties.note.type]).toEqual([
        'string',
        ['string', 'null'],
        ['integer', 'null'],
        ['string', 'null'],
      ]);
    }
  });
});

describe('the timestamps of a record that TypeORM writes', () => {
  const timesOf = async (id: number) => {
    const { datetime, last_datetime } = await vouchers().findOneByOrFail({ id });
    return [datetime, last_datetime] as const;
  };

  test('are set as Records does', async () => {
    const before = timestamp(Date.now());
    const { id } = await vouchers().save(vouchers().create({ code: 'times', account_id: account.id }));
    const [created, none] = await timesOf(id);
    expect([created >= before && created <= timestamp(Date.now()), none]).toEqual([true, null]);
    const updates = [
      () => vouchers().save({ id, place: 7 }),
      async () => vouchers().save({ ...(await vouchers().findOneByOrFail({ id })), place: 8 }),
      () => vouchers().update(id, { place: 9 }),
      () =>
        vouchers()
          .createQueryBuilder()
          .update()
          .set({ place: () => 'place + 1' })
          .where({ id })
          .execute(),
      () => vouchers().increment({ id }, 'place', 1),
    ];
    for (const update of updates) {
      await application().dataSource.query(`UPDATE vouchers SET last_datetime = '2026-01-01 00:00:00' WHERE id = ${id}`);
      await update();
      const [, last] = await timesOf(id);
      expect([last, last! >= before]).toEqual([expect.stringMatching(SOME_TIME), true]);
    }
  });

  test('keep explicit values', async () => {
    const given = { datetime: '2026-01-01 00:00:00', last_datetime: '2026-01-02 00:00:00' };
    const { id } = await vouchers().save(vouchers().create({ code: 'given', account_id: account.id, ...given }));
    expect(await timesOf(id)).toEqual(Object.values(given));
    await vouchers().update(id, { place: 1, last_datetime: '2026-01-03 00:00:00' });
    expect(await timesOf(id)).toEqual([given.datetime, '2026-01-03 00:00:00']);
  });
});

describe('the total of a large list', () => {
  let total: number;
  let ids: number[];
  const many = (count: number, values: object = {}) =>
    Array.from({ length: count }, () => ({ ...newVoucher(), max_redemptions: 1, redeemed: 0, note_folded: 'for ana', account_id: account.id, datetime: timestamp(Date.now()), ...values })); // prettier-ignore
  const expectTotals = async () => {
    for (const query of ['', '?page=90', '?note=ana', '?orderby=code&page=2']) {
      const { body } = await send('GET', query).expect(200);
      expect([query, (body as { meta: { total: number } }).meta.total]).toEqual([query, total]);
    }
  };

  beforeEach(async () => {
    await insertRows(application().dataSource, Voucher, many(MANY));
    ids = (await vouchers().find({ where: { account_id: account.id }, order: { id: 'ASC' } })).map(({ id }) => id);
    total = MANY;
    stopClock();
    for (let round = 0; round < 2; round++) await expectTotals();
  });

  const inTransaction = (work: (repository: Repository<Voucher>) => Promise<unknown>) =>
    application().dataSource.transaction((manager) => work(manager.getRepository(Voucher)));

  test.each<[string, (repository: Repository<Voucher>) => Promise<unknown>, added: number]>([
    ['an upsert of an existing and a new row', (all) => all.upsert([{ ...many(1)[0], id: ids[0] }, many(1)[0]].map((row) => ({ ...row })), ['id']), 1], // prettier-ignore
    ['an upsert of an existing row', (all) => all.upsert([{ ...many(1)[0], id: ids[1] }], ['id']), 0],
    [
      'an ignored insert',
      (all) =>
        all
          .createQueryBuilder()
          .insert()
          .values({ ...many(1)[0], id: ids[2] })
          .orIgnore()
          .execute(),
      0,
    ],
    ['the removal of a missing row', (all) => all.remove(all.create({ id: 999_999_999, account_id: account.id })), 0],
    ['an update of the account', (all) => all.createQueryBuilder().update().set({ account_id: () => '1' }).where({ id: ids[3] }).execute(), -1], // prettier-ignore
    [
      'a deletion of several rows',
      (all) =>
        all
          .createQueryBuilder()
          .delete()
          .where('id IN (:...some)', { some: ids.slice(4, 9) })
          .execute(),
      -5,
    ],
  ])('is exact right after %s in a transaction', async (_, write, added) => {
    await inTransaction(write);
    total += added;
    await expectTotals();
    for (let round = 0; round < 2; round++) await expectTotals();
  });

  test('is exact right after a cascading deletion', async () => {
    const rows = Array.from({ length: MANY }, (_, index) => ({
      account_id: account.id,
      voucher_id: ids[index % 3],
      datetime: timestamp(Date.now()),
    }));
    await insertRows(application().dataSource, VoucherPrint, rows);
    const printed = async () => {
      const { body } = await account.client.get('/voucher-prints?page=2').expect(200);
      return (body as { meta: { total: number } }).meta.total;
    };
    for (let round = 0; round < 2; round++) expect(await printed()).toBe(MANY);
    await send('DELETE', `/${ids[0]}`).expect(200);
    expect(await printed()).toBe((MANY * 2) / 3);
    await inTransaction(async (all) => all.remove(await all.findOneByOrFail({ id: ids[1] })));
    expect(await printed()).toBe(MANY / 3);
    await vouchers().delete(ids[2]);
    expect(await printed()).toBe(0);
  });
});

test('a pessimistic lock works on MySQL, and throws TypeORM’s error on SQLite', async () => {
  const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  const id = await create();
  const { status } = await send('POST', `/${id}/lock`);
  if (onMysql) return expect(status).toBe(201);
  const [{ err }] = logged.mock.lastCall as unknown as [{ err: Error }];
  expect([status, err.message]).toEqual([500, 'Locking not supported on given driver.']);
});

test('an audit action must be snake_case with 1 to 16 characters', async () => {
  const { executor } = application().app.get(Vouchers, { strict: false });
  const context = { accountId: account.id, keyId: 1, requestId: 'a' };
  const run = (action: string) =>
    executor.run((transaction) => logAuditedEvent(transaction, context, { action, record: 'voucher', recordId: 1 }));
  for (const action of ['redeem', 'void_all', 'a'.repeat(16)]) await run(action);
  for (const action of ['', 'Redeem', 'a'.repeat(17), 'to-void']) await expect(run(action)).rejects.toThrow('must be snake_case, 1 to 16');
});

describe('the log of a database error', () => {
  const SECRET = "it's a 'secret', doesn't 'column 'it";
  const lines: string[] = [];
  const lineOf = async (write: () => Promise<unknown>) => {
    const error = await write().then(() => undefined, (thrown: unknown) => thrown); // prettier-ignore
    createLogger('error', { write: (line) => void lines.push(line) }).error({ err: error });
    return (JSON.parse(lines.at(-1)!) as { err: Record<string, unknown> }).err;
  };

  test('contains the message, code and constraint, but no values', async () => {
    const voucher = vouchers().create({ code: SECRET.slice(0, 32), account_id: account.id });
    await vouchers().insert({ ...voucher });
    const index = onMysql
      ? /^(vouchers\.)?IDX_/ // MySQL names the table, MariaDB doesn't
      : /^vouchers\.account_id, vouchers\.code$/;
    expect(await lineOf(() => vouchers().insert({ ...voucher }))).toMatchObject({
      code: expect.stringMatching(/^(ER_DUP_ENTRY|SQLITE_CONSTRAINT_UNIQUE)$/) as string,
      message: expect.stringMatching(/^(Duplicate entry '…' for key `|UNIQUE constraint failed: )/) as string,
      constraint: expect.stringMatching(index) as string,
    });
    const missing = await lineOf(() => application().dataSource.query('INSERT INTO vouchers (code) VALUES (?)', [SECRET]));
    expect(missing.message).toMatch(/account_id|code/);
    const orphan = { account_id: account.id, voucher_id: 999_999_999, datetime: timestamp(Date.now()) };
    const { message } = await lineOf(() => insertRows(application().dataSource, VoucherUse, [orphan]));
    expect(message).toMatch(/foreign key constraint fail/i);
    const unknown = await lineOf(() => application().dataSource.query('SELECT nothing FROM vouchers WHERE code = ?', [SECRET]));
    expect(unknown.message).toMatch(/nothing/);
    if (onMysql) {
      const wrong = await lineOf(() => application().dataSource.query('UPDATE vouchers SET place = ?', [SECRET]));
      expect(wrong.message).toMatch(/^Incorrect integer value: '…'|^Truncated/);
    }
    expect(lines.join()).not.toMatch(/secret|it's|doesn't/);
  });
});
