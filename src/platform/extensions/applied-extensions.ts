import { Injectable } from '@nestjs/common';
import { Column, DataSource, Entity, PrimaryColumn } from 'typeorm';
import { Clock } from '../common/clock';
import { timestamp } from '../common/time';
import { ConfigError } from '../config/config';
import { Claims, Extensions } from './extensions';

/** An extension whose tables or migrations are in this database. */
@Entity('extensions')
export class AppliedExtension {
  @PrimaryColumn({ type: 'varchar', length: 64 })
  name: string;

  /** Tables and migrations; they remain when the extension is forgotten. */
  @Column({ type: 'simple-json' })
  parts: { tables: string[]; migrations: string[] };

  @Column({ type: 'varchar', length: 19 })
  datetime: string;
}

/**
 * Tracks which extensions have tables or migrations in the database. While one isn't loaded, deleting an account or a record that its
 * tables reference would fail or leave orphaned rows.
 */
@Injectable()
export class AppliedExtensions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly extensions: Extensions,
    private readonly clock: Clock,
  ) {}

  async findAll(): Promise<AppliedExtension[]> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const hasTable = await runner.hasTable('extensions'); // false before the first migration
      return hasTable ? await runner.manager.find(AppliedExtension, { order: { name: 'ASC' } }) : [];
    } finally {
      await runner.release();
    }
  }

  /** @throws ConfigError naming extensions that claim the same table or migration number, and those of this database that EXTENSIONS lacks */
  async check(): Promise<void> {
    this.checkClaims();
    const names = new Set(this.extensions.list.map(({ name }) => name));
    const missing = (await this.findAll()).flatMap(({ name }) => (names.has(name) ? [] : name));
    if (missing.length === 0) return;
    throw new ConfigError(
      `EXTENSIONS lacks ${missing.join(' and ')}, whose tables are in this database. Add it, or run: frontdesk extensions forget ${missing[0]}`,
    );
  }

  /** Records which extensions have tables and migrations in this database. Call after migrating. */
  async remember(): Promise<void> {
    const known = new Map((await this.findAll()).map(({ name, parts }) => [name, JSON.stringify(parts)]));
    const datetime = timestamp(this.clock.now());
    for (const extension of this.extensions.list) {
      const { name, entities = [], migrations = [] } = extension;
      const tables = entities.map((entity) => this.dataSource.getMetadata(entity).tableName);
      const parts = { tables, migrations: migrations.map((migration) => migration.name) };
      const isNew = parts.tables.length + parts.migrations.length > 0 && known.get(name) !== JSON.stringify(parts);
      if (isNew) await this.dataSource.getRepository(AppliedExtension).upsert({ name, parts, datetime }, ['name']);
    }
  }

  /** Returns the parts that remain in the database. @throws ConfigError */
  async forget(name: string): Promise<AppliedExtension['parts']> {
    const applied = (await this.findAll()).find((each) => each.name === name);
    if (!applied) throw new ConfigError(`This database has no extension ${name}. To list its extensions, run: frontdesk extensions list`);
    if (this.extensions.list.some((each) => each.name === name))
      throw new ConfigError(`${name} is still in EXTENSIONS: remove it there first.`);
    await this.dataSource.getRepository(AppliedExtension).delete({ name });
    return applied.parts;
  }

  private checkClaims(): void {
    const ownerOf = new Map(
      this.extensions.list.flatMap(({ name, entities = [], migrations = [] }) =>
        [...entities, ...migrations].map((part): [unknown, string] => [part, name]),
      ),
    );
    const claims = new Claims();
    for (const { target, tableName } of this.dataSource.entityMetadatas) claims.add(`table ${tableName}`, ownerOf.get(target));
    for (const { constructor } of this.dataSource.migrations)
      claims.add(`migration number ${constructor.name.slice(-13)}`, ownerOf.get(constructor));
    claims.check();
  }
}
