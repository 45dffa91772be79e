// Runs on SQLite; in the whole run, on MySQL too.
import { Body, Controller, HttpCode, Injectable, Module, Param, ParseIntPipe, Post } from '@nestjs/common';
import { IsOptional } from 'class-validator';
import { PartialType } from '@nestjs/swagger';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Response } from 'supertest';
import { Column, DataSource, Entity, JoinColumn, ManyToOne } from 'typeorm';
import { AccountRecord } from '../../../src/auth/accounts/account.entity';
import { AccountId, WriteContextOf } from '../../../src/auth/caller';
import { Scope } from '../../../src/auth/route-policies';
import type { WriteContext } from '../../../src/platform/common/write-context';
import { Records } from '../../../src/platform/database/records/records';
import { ParseRecordIdPipe } from '../../../src/platform/http/input/parse-record-id.pipe';
import { rule } from '../../../src/platform/http/input/rules';
import { RecordField } from '../../../src/platform/http/record-fields';
import { ApiCreate, ApiUpdate } from '../../../src/platform/http/routes';
import { asId } from '../../../src/platform/http/responses';
import { type TestAccount, useApplication } from '../../support/application';
import { idOf } from '../../support/client';
import { onMysql } from '../../support/database';
import { createTableOf } from '../../support/ledger';

@Entity('shelves')
class Shelf extends AccountRecord {
  @Column({ type: 'varchar', length: 32 })
  name = '';
}

@Entity('authors')
class Author extends AccountRecord {
  @Column({ type: 'varchar', length: 32 })
  name = '';
}

@Entity('books')
class Book extends AccountRecord {
  @Column({ type: 'int' })
  shelf_id: number;

  @ManyToOne(() => Shelf, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'shelf_id' })
  shelf: Shelf;

  @Column({ type: 'int', nullable: true })
  author_id: number | null = null;

  @ManyToOne(() => Author, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'author_id' })
  author: Author;
}

const IsId = rule<number>('isId', { expected: 'an id', schema: { type: 'integer', examples: [7] }, parse: Number });

class CreateBook {
  @IsId('Shelf.')
  shelf_id: number;

  @IsOptional()
  @IsId('Author.')
  author_id?: number;
}

class UpdateBook extends PartialType(CreateBook) {}

class IdRecord {
  @RecordField('integer', 7)
  id: number;
}

@Injectable()
class Books {
  readonly table = this.records.table<IdRecord>(Book, IdRecord);

  constructor(
    readonly records: Records,
    readonly dataSource: DataSource,
  ) {}
}

@Scope('domains:write')
@Controller('books')
class BooksController {
  constructor(private readonly books: Books) {}

  @Post('by-repository')
  async createByRepository(@AccountId() account_id: number, @Body() input: CreateBook) {
    await this.books.dataSource.getRepository(Book).save({ ...input, account_id });
  }

  @Post()
  @ApiCreate('Create a book')
  create(@WriteContextOf('books.create') context: WriteContext, @Body() input: CreateBook) {
    return asId(this.books.records.insert(this.books.table, context, { ...input }));
  }

  @Post(':book_id')
  @HttpCode(200)
  @ApiUpdate('book_id', 'Update a book')
  update(
    @WriteContextOf('books.update') context: WriteContext,
    @Param('book_id', ParseRecordIdPipe) id: number,
    @Body() changes: UpdateBook,
  ) {
    return asId(this.books.records.update(this.books.table, context, id, { ...changes }));
  }

  @Post(':id/by-repository')
  async updateByRepository(@Param('id', ParseIntPipe) id: number, @Body() changes: UpdateBook) {
    await this.books.dataSource.getRepository(Book).update(id, { ...changes });
  }

  /** The reference is no field of the form. */
  @Post('on-shelf/:shelf')
  createOn(@WriteContextOf('books.createOn') context: WriteContext, @Param('shelf', ParseIntPipe) shelf_id: number) {
    return asId(this.books.records.insert(this.books.table, context, { shelf_id }));
  }
}

@Module({ imports: [TypeOrmModule.forFeature([Shelf, Author, Book])], providers: [Books], controllers: [BooksController] })
class BooksModule {}

const { application } = useApplication({}, BooksModule);
const NOBODYS = 999_999_999;
const EITHER = 'One of these refers to no record: shelf_id (shelves), author_id (authors).';
let account: TestAccount;
let shelf_id: number;
let author_id: number;

beforeAll(async () => {
  for (const entity of [Shelf, Author, Book]) await createTableOf(application(), entity);
  account = await application().createAccount();
  const { manager } = application().dataSource;
  ({ id: shelf_id } = await manager.save(Shelf, { account_id: account.id, name: 'Top' }));
  ({ id: author_id } = await manager.save(Author, { account_id: account.id, name: 'Ana' }));
});

const send = (path: string, body: Record<string, number>) => account.client.send('POST', `/books${path}`).send(body);
const errorsOf = ({ status, body }: Response) => {
  const { errors } = body as { errors: { code: string; detail: string; source?: { name: string } }[] };
  return { status, errors: errors.map(({ code, detail, source }) => [code, source?.name, detail]) };
};
const invalid = (detail: string, field?: string) => ({ status: 400, errors: [['invalid_parameter', field, detail]] });

describe('a reference to a record that does not exist', () => {
  const shelf = invalid('shelf_id must be the id of a record of shelves.', 'shelf_id');
  const author = invalid('author_id must be the id of a record of authors.', 'author_id');

  test.each(['', '/by-repository'])('is a 400 that names the field, on create%s', async (path) => {
    expect(errorsOf(await send(path, { shelf_id: NOBODYS }))).toEqual(shelf);
    await send(path, { shelf_id }).expect(201);
  });

  test.each(['', '/by-repository'])('is a 400 that names the field, on update%s', async (path) => {
    const id = idOf(await send('', { shelf_id, author_id }).expect(201));
    expect(errorsOf(await send(`/${id}${path}`, { shelf_id: NOBODYS }))).toEqual(shelf);
    expect(errorsOf(await send(`/${id}${path}`, { author_id: NOBODYS }))).toEqual(author);
  });

  test('of two in the form, is a 400: SQLite doesn’t say which one it is', async () => {
    expect(errorsOf(await send('', { shelf_id, author_id: NOBODYS }))).toEqual(onMysql ? author : invalid(EITHER));
  });

  test('is a 409 if it is no field of the form', async () => {
    const detail = onMysql ? 'shelf_id must be the id of a record of shelves.' : EITHER;
    expect(errorsOf(await send(`/on-shelf/${NOBODYS}`, {}))).toEqual({ status: 409, errors: [['conflict', undefined, detail]] });
  });
});
