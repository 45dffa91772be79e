import { setImmediate as nextTurn } from 'node:timers/promises';
import { Body, Controller, Injectable, Module, Post } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Column, DataSource, Entity, type EntityManager, PrimaryGeneratedColumn, type Repository, Table, TableForeignKey } from 'typeorm';
import { Scope } from '../../../src/auth/route-policies';
import { IsFlag, IsText } from '../../../src/platform/http/input/rules';
import { RequestError } from '../../../src/platform/common/errors';
import type { TestApplication } from '../http/application';

@Entity('ledger')
export class Entry {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 64 })
  text: string;
}

export class NewEntry {
  @IsText(64, 'Text.', { example: 'rent' })
  text: string;

  @IsFlag('Whether to fail after the write.')
  refused: boolean;
}

/** Writes as an extension may: with what Nest and TypeORM offer. */
@Injectable()
export class LedgerService {
  constructor(
    @InjectRepository(Entry) private readonly entries: Repository<Entry>,
    private readonly dataSource: DataSource,
  ) {}

  async save({ text }: NewEntry): Promise<void> {
    await this.entries.save({ text });
  }

  async insert({ text }: NewEntry): Promise<void> {
    await this.entries.insert({ text });
  }

  async inTransaction(entry: NewEntry): Promise<void> {
    await this.dataSource.transaction((manager) => writePair(manager, entry));
  }

  /** Incorrect: the transaction is neither committed nor rolled back. */
  async unfinished(entry: NewEntry): Promise<void> {
    const runner = this.dataSource.createQueryRunner();
    await runner.startTransaction();
    await writePair(runner.manager, entry);
    await runner.release();
  }

  async byQueryRunner(entry: NewEntry): Promise<void> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.startTransaction();
      await writePair(runner.manager, entry);
      await runner.commitTransaction();
    } catch (error) {
      await runner.rollbackTransaction();
      throw error;
    } finally {
      await runner.release();
    }
  }
}

/** Two rows that belong together, written with time between them for other requests. */
export async function writePair(manager: EntityManager, { text, refused }: NewEntry): Promise<number> {
  await manager.insert(Entry, { text });
  await nextTurn();
  const { id } = await manager.save(Entry, { text });
  await nextTurn();
  if (refused) throw RequestError.of('not_found', 'Refused, as it was asked for.');
  return id;
}

@Scope('domains:write')
@Controller('ledger')
export class LedgerController {
  constructor(private readonly ledger: LedgerService) {}

  @Post('save')
  save(@Body() entry: NewEntry) {
    return this.ledger.save(entry);
  }

  @Post('insert')
  insert(@Body() entry: NewEntry) {
    return this.ledger.insert(entry);
  }

  @Post('transaction')
  inTransaction(@Body() entry: NewEntry) {
    return this.ledger.inTransaction(entry);
  }

  @Post('unfinished')
  unfinished(@Body() entry: NewEntry) {
    return this.ledger.unfinished(entry);
  }

  @Post('query-runner')
  byQueryRunner(@Body() entry: NewEntry) {
    return this.ledger.byQueryRunner(entry);
  }
}

@Module({ imports: [TypeOrmModule.forFeature([Entry])], providers: [LedgerService], controllers: [LedgerController] })
export class LedgerModule {}

/** Creates the table of an entity that no migration creates. */
export async function createTableOf({ dataSource }: TestApplication, entity: new () => object): Promise<void> {
  const runner = dataSource.createQueryRunner();
  const { metadata, driver } = { metadata: dataSource.getMetadata(entity), driver: dataSource.driver };
  const table = Table.create(metadata, driver);
  table.foreignKeys = metadata.foreignKeys.map((key) => TableForeignKey.create(key, driver));
  await runner.createTable(table);
  await runner.release();
}
