import { isIPv4 } from 'node:net';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { timestamp } from '../../platform/common/time';
import type { EdgeTarget } from '../../platform/config/value-types';
import { NullableTimeField, RecordField, TimeField } from '../../platform/http/record-fields';
import { type Certificate, type Problem, PROBLEM_CODES, type VerificationState } from './domain-verification.entity';
import { VERIFICATION_STATUSES, type VerificationStatus } from './verification-status';

class DnsRecord {
  @RecordField({ type: 'string', example: 'TXT', enum: ['TXT', 'CNAME', 'A', 'AAAA'] })
  type: 'TXT' | 'CNAME' | 'A' | 'AAAA';

  @RecordField({ type: 'string', example: '_frontdesk.www.example.com', description: 'Absolute, without a trailing dot.' })
  name: string;

  @RecordField({ type: 'string', example: 'frontdesk=k5x3q7wz2mbn4vha6ytr5jdp3fgs7ceu', description: 'Without quotes.' })
  value: string;
}

class DomainProblem implements Problem {
  @RecordField({ type: 'string', example: 'target_differs', enum: [...PROBLEM_CODES] })
  code: Problem['code'];

  @RecordField({
    type: 'string',
    example: 'Set a CNAME record at www.example.com with the value edge.example.net; www.example.com points elsewhere.',
  })
  detail: string;
}

/** A verification without the DNS records to set. */
export class DomainState {
  @RecordField({ type: 'string', example: 'verified', description: 'Only a verified domain is served.', enum: [...VERIFICATION_STATUSES] })
  status: VerificationStatus;

  @RecordField({
    type: 'boolean',
    example: false,
    description: 'Whether the domain was verified under this host, but is no longer, and is pending again.',
  })
  lost: boolean;

  @NullableTimeField('When its DNS records were last looked up, in UTC; null before the first time.', '2026-11-21 14:05:09')
  checked: string | null;

  @NullableTimeField(
    'When its DNS records are next looked up, in UTC; null when failed, and until the first lookup is scheduled.',
    '2026-11-22 14:05:09',
  )
  next_check: string | null;

  @ApiProperty({ type: [DomainProblem], description: 'Problems that the last check found; empty before the first.' })
  problems: readonly Problem[];
}

class CertificateRecord implements Certificate {
  @RecordField({ type: 'string', example: 'Let’s Encrypt, R13', description: 'The issuer’s organization and common name.' })
  issuer: string;

  @TimeField('When it expires, in UTC.')
  expires: string;
}

@ApiExtraModels(CertificateRecord)
export class VerificationRecord {
  @RecordField({ type: 'string', example: 'verified', description: 'Only a verified domain is served.', enum: [...VERIFICATION_STATUSES] })
  status: VerificationStatus;

  @NullableTimeField('When its DNS records were last looked up, in UTC; null before the first time.', '2026-11-21 14:05:09')
  checked: string | null;

  @NullableTimeField('When its DNS records are next looked up, in UTC; null when failed.', '2026-11-22 14:05:09')
  next_check: string | null;

  @ApiProperty({ type: [DnsRecord], description: 'DNS records to set: a TXT record to verify the domain, the others to point it here.' })
  records: DnsRecord[];

  @ApiProperty({
    type: [DomainProblem],
    description:
      'Problems that the last check found; empty before the first. Only the TXT record decides the status: `target_…` and `certificate_…` are for its owner, or the operator, to fix.',
  })
  problems: readonly Problem[];

  @ApiProperty({
    allOf: [{ $ref: getSchemaPath(CertificateRecord) }],
    nullable: true,
    description: 'The certificate that visitors get; null if there is none, or while the domain isn’t verified or doesn’t point here.',
  })
  certificate: Certificate | null;
}

/** The DNS record that proves who owns a host. */
export function txtRecord(host: string, token: string): DnsRecord {
  return { type: 'TXT', name: `_frontdesk.${host}`, value: `frontdesk=${token}` };
}

/** The DNS records that point a host to the target; none without a target. */
export function targetRecords(host: string, target?: EdgeTarget): DnsRecord[] {
  if (!target) return [];
  if ('name' in target) return [{ type: 'CNAME', name: host, value: target.name }];
  return target.addresses.map((value) => ({ type: isIPv4(value) ? 'A' : 'AAAA', name: host, value }));
}

export function toDomainState({ status, lost, checked, due, problems }: VerificationState): DomainState {
  const isLost = status === 'pending' && lost !== null;
  return { status, lost: isLost, checked: toTimestamp(checked), next_check: toTimestamp(due), problems };
}

export function toTimestamp(time: number | null): string | null {
  return time === null ? null : timestamp(time);
}
