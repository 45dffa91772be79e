import { Column, Entity, PrimaryColumn } from 'typeorm';

/** When a job runs next, in any process. */
@Entity('scheduled_jobs')
export class ScheduledJob {
  @PrimaryColumn({ type: 'varchar', length: 64 })
  name: string;

  /** Milliseconds since 1970; while it runs, the end of its lease. */
  @Column({ type: 'bigint' })
  due: number;

  /** Failed runs in a row. */
  @Column({ type: 'int' })
  failures: number;
}
