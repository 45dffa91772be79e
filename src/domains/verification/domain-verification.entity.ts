import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { AccountOwned } from '../../auth/accounts/account.entity';
import { Domain } from '../domain.entity';

export const PROBLEM_CODES = ['txt_missing', 'txt_differs', 'target_missing', 'target_differs', 'dns_unreachable'] as const;

/** A problem found by a check. The detail shows no TXT value. */
export interface Problem {
  code: (typeof PROBLEM_CODES)[number];
  detail: string;
}

export const STATUSES = ['pending', 'verified', 'failed'] as const;

export type VerificationStatus = (typeof STATUSES)[number];

/** TypeORM's name for the index on `account_id, due`. */
export const VERIFICATIONS_OF_ACCOUNT = 'IDX_7de8f38340914c9abf01feecfd';

/** Whether DNS shows that a domain is its account's. A change of host replaces the row. Times in milliseconds since 1970. */
@Entity('domain_verifications')
@Index(['account_id', 'due'])
export class DomainVerification extends AccountOwned {
  @PrimaryGeneratedColumn()
  id: number;

  @Index({ unique: true })
  @Column({ type: 'int' })
  domain_id: number;

  /** Of the same account. */
  @ManyToOne(() => Domain, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'domain_id' })
  domain: Domain;

  /** The domain's. */
  @Column({ type: 'varchar', length: 253 })
  host: string;

  @Column({ type: 'varchar', length: 8 })
  status: VerificationStatus;

  /** Whether the operator verified it: then checks change the problems only. */
  @Column({ type: 'boolean' })
  is_by_operator: boolean;

  /** When the series of checks began. */
  @Column({ type: 'bigint' })
  begun: number;

  /** Checks of this series: the position in the waits. */
  @Column({ type: 'int' })
  looks: number;

  /** Time of the last check; null before the first. */
  @Column({ type: 'bigint', nullable: true })
  checked: number | null;

  /** Time of the next check; during a check, end of its lease; null when failed. */
  @Index()
  @Column({ type: 'bigint', nullable: true })
  due: number | null;

  /** Checks in a row that got an answer without the record, while verified. */
  @Column({ type: 'int' })
  misses: number;

  /** Time of the last of these. */
  @Column({ type: 'bigint', nullable: true })
  last_miss: number | null;

  /** Of the last check, as JSON. */
  @Column({ type: 'text' })
  problems: string;
}
