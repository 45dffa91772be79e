import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { AccountOwned } from '../../auth/accounts/account.entity';
import { Domain } from '../domain.entity';
import type { VerificationStatus } from './verification-status';

export const CERTIFICATE_PROBLEMS = ['certificate_missing', 'certificate_differs', 'certificate_expiring'] as const;
export const PROBLEM_CODES = [
  'txt_missing',
  'txt_differs',
  'target_missing',
  'target_differs',
  'dns_unreachable',
  ...CERTIFICATE_PROBLEMS,
] as const;

/** A problem found by a check. The detail shows no TXT value. */
export interface Problem {
  code: (typeof PROBLEM_CODES)[number];
  detail: string;
}

/** The certificate that visitors of a host get; `expires` is `YYYY-MM-DD HH:MM:SS`. */
export interface Certificate {
  issuer: string;
  expires: string;
}

/** The status that domains are filtered by. Without a verification, or with one for a former host, a domain is pending. */
export const DOMAIN_STATUS = {
  table: 'domain_verifications',
  column: `COALESCE((SELECT verification.status FROM domain_verifications verification
    WHERE verification.domain_id = domains.id AND verification.host = domains.host), 'pending')`,
};

/** TypeORM's name for the index on `account_id, due`. */
export const ACCOUNT_DUE_INDEX = 'IDX_7de8f38340914c9abf01feecfd';

/** Columns of a verification that checks change. Times in milliseconds since 1970. */
export class VerificationState {
  @Column({ type: 'varchar', length: 8 })
  status: VerificationStatus;

  /** Verified by the operator: checks then change only the problems. */
  @Column({ name: 'is_by_operator', type: 'boolean' })
  isByOperator: boolean;

  /** When the series of checks started. */
  @Column({ type: 'bigint' })
  started: number;

  /** Number of checks in this series: the index of the next wait. */
  @Column({ type: 'int' })
  checks: number;

  /** Time of the last check; null before the first. */
  @Column({ type: 'bigint', nullable: true })
  checked: number | null;

  /** Time of the next check; during a check, end of its lease; null when failed. */
  @Index()
  @Column({ type: 'bigint', nullable: true })
  due: number | null;

  /** Consecutive misses while verified: checks at least an hour apart that got an answer without the TXT record. */
  @Column({ type: 'int' })
  misses: number;

  /** Time of the last check that `misses` counts. */
  @Column({ name: 'last_miss', type: 'bigint', nullable: true })
  lastMiss: number | null;

  /** When a verified domain became pending again; null while verified, or if it never was. */
  @Column({ type: 'bigint', nullable: true })
  lost: number | null;

  /** Problems that the last check found. */
  @Column({ type: 'simple-json' })
  problems: readonly Problem[];

  /** The certificate found by the last check; null if there was none, or the check made no handshake. */
  @Column({ type: 'simple-json', nullable: true })
  certificate: Certificate | null;
}

/**
 * Whether DNS shows that a domain belongs to its account; inserted with the domain. A change of host replaces the row, so that
 * results for the old host are never written.
 */
@Entity('domain_verifications')
@Index(['account_id', 'state.due'])
export class DomainVerification extends AccountOwned {
  @PrimaryGeneratedColumn()
  id: number;

  @Index({ unique: true })
  @Column({ type: 'int' })
  domain_id: number;

  /** Belongs to the same account. */
  @ManyToOne(() => Domain, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'domain_id' })
  domain: Domain;

  /** The domain's host when the row was created. */
  @Column({ type: 'varchar', length: 253 })
  host: string;

  @Column(() => VerificationState, { prefix: false })
  state: VerificationState;
}
