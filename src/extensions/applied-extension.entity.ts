import { Column, Entity, PrimaryColumn } from 'typeorm';

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
