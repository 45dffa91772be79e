/** @mysql whole */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Body, Controller, HttpCode, Injectable, Logger, Module, Post, UploadedFile, UploadedFiles, UseInterceptors } from '@nestjs/common';
import { FileFieldsInterceptor, FileInterceptor, FilesInterceptor } from '@nestjs/platform-express';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { StorageEngine } from 'multer';
import type { Response } from 'supertest';
import { Column, Entity, Index } from 'typeorm';
import { AccountRecord } from '../../../src/auth/accounts/account.entity';
import { AccountId, WriteContextOf } from '../../../src/auth/caller';
import { Public, Scope } from '../../../src/auth/route-policies';
import type { WriteContext } from '../../../src/platform/common/write-context';
import { Records } from '../../../src/platform/database/records/records';
import { UniqueViolation, WriteExecutor } from '../../../src/platform/database/writes/transactions';
import { IsText } from '../../../src/platform/http/input/rules';
import { NeedsNoIdempotencyKey } from '../../../src/platform/http/input/idempotency-key';
import { AcceptsFiles } from '../../../src/platform/http/input/uploads';
import { RecordField } from '../../../src/platform/http/record-fields';
import { ApiAction, ApiCreate } from '../../../src/platform/http/routes';
import { asId } from '../../../src/platform/http/responses';
import { type TestAccount, useApplication } from '../../support/http/application';
import { idOf } from '../../support/http/client';
import { expectErrors } from '../../support/http/errors';
import { createTableOf } from '../../support/extensions/ledger';
import type { Operation } from '../../support/http/openapi';
import { RouteTable } from '../../support/http/route-table';

@Entity('redemptions')
class Redemption extends AccountRecord {
  @Index({ unique: true })
  @Column({ type: 'varchar', length: 32 })
  code: string;

  /** Null for the upload itself. */
  @Column({ type: 'int', nullable: true })
  upload_id: number | null = null;
}

class RedemptionRecord {
  @RecordField({ type: 'integer', example: 7 })
  id: number;
}

class NewRedemption {
  @IsText(32, 'Code.', { example: 'SPRING10' })
  code: string;
}

@Injectable()
class Redemptions {
  private readonly table = this.records.table<RedemptionRecord>(Redemption, RedemptionRecord);

  constructor(
    private readonly records: Records,
    private readonly executor: WriteExecutor,
  ) {}

  insert(context: WriteContext, code: string): Promise<number> {
    return this.records.insert(this.table, context, { code });
  }

  insertAll(context: WriteContext, name: string, codes: string[]): Promise<number> {
    return this.executor.runOnce(context, async (statements) => {
      const upload_id = await this.records.insertWithin(statements, this.table, context, { code: name });
      for (const code of codes) await this.records.insertWithin(statements, this.table, context, { code, upload_id });
      return upload_id;
    });
  }
}

/** Stores nothing. */
const FORGETFUL: StorageEngine = {
  _handleFile: (_request, file, done) => void file.stream.on('end', () => done(null, {})).resume(),
  _removeFile: (_request, _file, done) => done(null),
};

const folder = mkdtempSync(join(tmpdir(), 'frontdesk-uploads-'));
const MAX_BYTES = 10_000;

/** Wraps the method without keeping its metadata, as a custom decorator may. */
const Wrapped: MethodDecorator = (_prototype, _name, descriptor) => {
  const { value } = descriptor as { value?: (...given: unknown[]) => unknown };
  descriptor.value = function (this: unknown, ...given: unknown[]) {
    return value!.apply(this, given);
  } as never;
};

let runs = 0;

@Scope('domains:write')
@Controller('redemptions')
class RedemptionsController {
  constructor(protected readonly redemptions: Redemptions) {}

  @Post()
  @ApiCreate('Redeem a code')
  create(@WriteContextOf('redemptions.create') context: WriteContext, @Body() { code }: NewRedemption) {
    return asId(this.redemptions.insert(context, code));
  }

  @Post('twice')
  async twice(@WriteContextOf('redemptions.twice') context: WriteContext, @Body() { code }: NewRedemption) {
    await this.redemptions.insert(context, `${code}-1`);
    return asId(this.redemptions.insert({ ...context }, `${code}-2`));
  }

  @Post('at-once')
  async atOnce(@WriteContextOf('redemptions.atOnce') context: WriteContext, @Body() { code }: NewRedemption) {
    const inserted = await Promise.allSettled([1, 2].map((number) => this.redemptions.insert(context, `${code}-${number}`)));
    return inserted.map((one) => (one.status === 'rejected' ? String(one.reason) : one.value));
  }

  @Post('instead')
  async instead(@WriteContextOf('redemptions.instead') context: WriteContext, @Body() { code }: NewRedemption) {
    const insteadOf = (error: unknown) => {
      if (!(error instanceof UniqueViolation)) throw error;
      return this.redemptions.insert(context, `${code}-instead`);
    };
    return asId(this.redemptions.insert(context, code).catch(insteadOf));
  }

  @AcceptsFiles(MAX_BYTES)
  @UseInterceptors(FileInterceptor('codes'))
  @Post('upload')
  upload(@WriteContextOf('redemptions.upload') context: WriteContext, @UploadedFile() file: Express.Multer.File) {
    const [name, ...codes] = file.buffer.toString().split('\n');
    return asId(this.redemptions.insertAll(context, name, codes));
  }

  @AcceptsFiles(MAX_BYTES)
  @UseInterceptors(FilesInterceptor('codes'))
  @Post('upload/list')
  uploadList(@WriteContextOf('redemptions.list') context: WriteContext, @UploadedFiles() files: Express.Multer.File[]) {
    return asId(this.redemptions.insert(context, String(files[0].buffer)));
  }

  @AcceptsFiles(MAX_BYTES)
  @UseInterceptors(FileFieldsInterceptor([{ name: 'codes' }, { name: 'more' }]))
  @Post('upload/fields')
  uploadFields(@WriteContextOf('redemptions.fields') context: WriteContext, @UploadedFiles() files: Record<string, Express.Multer.File[]>) {
    return asId(this.redemptions.insert(context, String(files.codes[0].buffer)));
  }

  @AcceptsFiles(MAX_BYTES)
  @UseInterceptors(FileInterceptor('codes', { dest: folder }))
  @Post('upload/disk')
  uploadToDisk(@WriteContextOf('redemptions.disk') context: WriteContext, @UploadedFile() { originalname }: Express.Multer.File) {
    return asId(this.redemptions.insert(context, originalname));
  }

  @AcceptsFiles(MAX_BYTES)
  @UseInterceptors(FileInterceptor('codes', { storage: FORGETFUL }))
  @Post('upload/elsewhere')
  uploadElsewhere(@WriteContextOf('redemptions.elsewhere') context: WriteContext, @UploadedFile() { originalname }: Express.Multer.File) {
    return asId(this.redemptions.insert(context, originalname));
  }

  @Post('without')
  without(@AccountId() _accountId: number) {
    return { runs: ++runs };
  }

  @Post(':redemption_id/without')
  @HttpCode(200)
  @ApiAction('redemption_id', 'Redeem without a context')
  actWithout() {
    return { runs: ++runs };
  }

  @NeedsNoIdempotencyKey()
  @HttpCode(200)
  @Post(':redemption_id/check')
  @HttpCode(200)
  @ApiAction('redemption_id', 'Check a code')
  check() {
    return { runs: ++runs };
  }

  @Post('wrapped')
  @Wrapped
  wrapped(@WriteContextOf('redemptions.wrapped') context: WriteContext) {
    return asId(this.redemptions.insert(context, `wrapped-${++runs}`));
  }
}

@Scope('domains:write')
@Controller('inherited')
class InheritedController extends RedemptionsController {
  @Post('wrapped')
  override async wrapped() {
    return { data: await Promise.resolve({ id: ++runs }) };
  }
}

@Public()
@Controller('open')
class OpenController {
  @Post()
  open() {
    return { runs: ++runs };
  }
}

@Module({
  imports: [TypeOrmModule.forFeature([Redemption])],
  providers: [Redemptions],
  controllers: [RedemptionsController, InheritedController, OpenController],
})
class RedemptionsModule {}

const { application } = useApplication({}, RedemptionsModule);
let account: TestAccount;
let keys = 0;

beforeAll(async () => {
  account = await application().createAccount();
  await createTableOf(application(), Redemption);
});

afterAll(() => rmSync(folder, { recursive: true }));

const newKey = () => `key-${++keys}`;
const send = (path: string, key?: string) => {
  const request = account.client.send('POST', path);
  return key === undefined ? request : request.set('Idempotency-Key', key);
};
const redeem = (path: string, code: string, key?: string) => send(`/redemptions/${path}`, key).send({ code });
const codesLike = async (prefix: string) =>
  (await application().rows('redemptions')).map(({ code }) => String(code)).filter((code) => code.startsWith(prefix));

describe('a write context used for two writes', () => {
  const SECOND = /^redemptions\.(twice|atOnce) wrote twice with one write context, but an Idempotency-Key covers a single write: /;

  test('fails on every attempt with an Idempotency-Key, and the log names the operation', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error');
    const key = newKey();
    for (let repeat = 1; repeat <= 2; repeat++) {
      expectErrors(await redeem('twice', 'a', key), { code: 'internal_error' });
      const [{ err }] = logged.mock.lastCall as unknown as [{ err: Error }];
      expect(err.message).toMatch(SECOND);
      expect(await codesLike('a-')).toEqual(['a-1']);
    }
  });

  test('fails while the first write is in progress', async () => {
    const { body } = await redeem('at-once', 'b', newKey()).expect(201);
    expect(body).toEqual([expect.any(Number), expect.stringMatching(/redemptions\.atOnce wrote twice/)]);
    expect(await codesLike('b-')).toEqual(['b-1']);
  });

  test('is allowed without a key', async () => {
    await redeem('twice', 'c').expect(201);
    expect(await codesLike('c-')).toEqual(['c-1', 'c-2']);
  });

  test('is allowed when the first write has failed', async () => {
    const key = newKey();
    await redeem('instead', 'd').expect(201);
    const id = idOf(await redeem('instead', 'd', key).expect(201));
    expect(idOf(await redeem('instead', 'd', key).expect(201))).toBe(id);
    expect(await codesLike('d')).toEqual(['d', 'd-instead']);
  });
});

describe('an upload under an Idempotency-Key', () => {
  const upload = (path: string, content: string, key?: string, name = 'codes.txt', field = 'codes') =>
    send(`/redemptions/upload${path}`, key).attach(field, Buffer.from(content), name);
  const reused = { code: 'idempotency_key_reused', source: 'header.Idempotency-Key' } as const;

  test('stores all its rows, and a repeated request returns the same id', async () => {
    const key = newKey();
    const id = idOf(await upload('', 'rows\nrow-1\nrow-2\nrow-3', key).expect(201));
    expect(idOf(await upload('', 'rows\nrow-1\nrow-2\nrow-3', key).expect(201))).toBe(id);
    const stored = (await application().rows('redemptions')).filter(({ code }) => String(code).startsWith('row'));
    expect(stored.map(({ code, upload_id }) => [code, upload_id])).toEqual([
      ['rows', null],
      ['row-1', id],
      ['row-2', id],
      ['row-3', id],
    ]);
    const audited = await application().dataSource.query<object[]>(
      "SELECT record_id FROM events WHERE record = 'redemption' AND record_id >= ?",
      [id],
    );
    expect(audited).toHaveLength(4);
  });

  test('stores none of its rows when one is rejected', async () => {
    const { status, body } = await upload('', 'none\nnone-1\nnone-1', newKey());
    expect([status, body]).toMatchObject([409, { errors: [{ code: 'conflict' }] }]);
    expect(await codesLike('none')).toEqual([]);
  });

  test.each(['', '/list', '/fields', '/disk'])('/redemptions/upload%s returns 422 for the key of another file', async (path) => {
    const [key, content] = [newKey(), `file${path.replace('/', '-')}`];
    const id = idOf(await upload(path, content, key, content).expect(201));
    expect(idOf(await upload(path, content, key, content).expect(201))).toBe(id);
    expectErrors(await upload(path, `${content}!`, key, content), reused);
    expectErrors(await upload(path, content, key, `${content}!`), reused);
    if (path === '/fields') expectErrors(await upload(path, content, key, content).attach('more', Buffer.from('x'), 'x'), reused);
    if (path === '/list') expectErrors(await upload(path, content, key, content).attach('codes', Buffer.from('x'), 'x'), reused);
    expect(await codesLike(content)).toHaveLength(1);
  });

  test('keeps the file name as UTF-8', async () => {
    await upload('/disk', 'x', newKey(), 'étiquette.pdf').expect(201);
    expect(await codesLike('étiq')).toEqual(['étiquette.pdf']);
  });

  test('fails when its files can’t be read again', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error');
    expectErrors(await upload('/elsewhere', 'x', newKey(), 'elsewhere'), { code: 'internal_error' });
    expect(String((logged.mock.lastCall as unknown as [{ err: Error }])[0].err)).toContain('@RefusesIdempotencyKey()');
    await upload('/elsewhere', 'x', undefined, 'elsewhere').expect(201);
  });
});

describe('a POST route without @WriteContextOf', () => {
  const refused = { code: 'invalid_parameter', source: 'header.Idempotency-Key', detail: /^Idempotency-Key is not accepted here/ } as const;

  test.each(['/redemptions/without', '/redemptions/7/without', '/inherited/without', '/inherited/wrapped', '/open'])(
    '%s rejects an Idempotency-Key without running the handler',
    async (path) => {
      const before = runs;
      for (let repeat = 0; repeat < 5; repeat++) expectErrors(await send(path, newKey()), refused);
      expect(runs).toBe(before);
      await send(path).expect(({ status }: Response) => expect(status).toBeLessThan(300));
      expect(runs).toBe(before + 1);
    },
  );

  test('runs again for a repeated key with @NeedsNoIdempotencyKey', async () => {
    const [before, key] = [runs, newKey()];
    for (let repeat = 0; repeat < 2; repeat++) await send('/redemptions/7/check', key).expect(200);
    expect(runs).toBe(before + 2);
  });
});

test('an inherited or wrapped route with @WriteContextOf handles keys', async () => {
  const key = newKey();
  const id = idOf(await send('/inherited', key).send({ code: 'inherited' }).expect(201));
  expect(idOf(await send('/inherited', key).send({ code: 'inherited' }).expect(201))).toBe(id);
  const other = newKey();
  const wrapped = idOf(await send('/redemptions/wrapped', other).expect(201));
  expect(idOf(await send('/redemptions/wrapped', other).expect(201))).toBe(wrapped);
  expectErrors(await send('/redemptions/wrapped', 'a b'), { code: 'invalid_parameter', source: 'header.Idempotency-Key' });
});

test('the OpenAPI document has Idempotency-Key only for routes that handle it', async () => {
  const { operations } = (await RouteTable.of(application())).document;
  const isDocumented = ({ parameters = [], responses }: Operation) => [
    parameters.some((one) => 'name' in one && one.name === 'Idempotency-Key'),
    '422' in responses,
  ];
  const documented = (path: string) => isDocumented(operations.find((one) => one.path === path && one.method === 'POST')!);
  for (const path of ['/redemptions', '/inherited']) expect([path, ...documented(path)]).toEqual([path, true, true]);
  for (const path of ['/redemptions/{redemption_id}/without', '/redemptions/{redemption_id}/check', '/redemptions/without'])
    expect([path, ...documented(path)]).toEqual([path, false, false]);
  expect(JSON.stringify(operations)).not.toContain('x-handles');
});
