import { ApiProperty } from '@nestjs/swagger';
import { NullableTimeField, RecordField } from '../../http/openapi/record-schema';
import { STATUSES, type VerificationStatus } from './domain-verification.entity';
import { type Problem, PROBLEM_CODES } from './verification-state';
import type { RecordToSet } from './records-to-set';

export class DnsRecord implements RecordToSet {
  @RecordField('string', 'TXT', undefined, { enum: ['TXT', 'CNAME', 'A', 'AAAA'] })
  type: RecordToSet['type'];

  @RecordField('string', '_frontdesk.www.example.com', 'Absolute, without a dot at the end.')
  name: string;

  @RecordField('string', 'frontdesk=k5x3q7wz2mbn4vha6ytr5jdp3fgs7ceu', 'Without quotes.')
  value: string;
}

export class DomainProblem implements Problem {
  @RecordField('string', 'target_differs', undefined, { enum: [...PROBLEM_CODES] })
  code: Problem['code'];

  @RecordField('string', 'Set a CNAME record at www.example.com with the value edge.example.net; www.example.com points elsewhere.')
  detail: string;
}

export class VerificationRecord {
  @RecordField('string', 'verified', 'Only a verified domain is served.', { enum: [...STATUSES] })
  status: VerificationStatus;

  @NullableTimeField('When its DNS records were last looked up, in UTC; null before the first time.', '2026-11-21 14:05:09')
  checked: string | null;

  @NullableTimeField('When they are looked up next, in UTC; null when failed.', '2026-11-22 14:05:09')
  next_check: string | null;

  @ApiProperty({ type: [DnsRecord], description: 'DNS records to set: a TXT record to verify the domain, the others to point it here.' })
  records: RecordToSet[];

  @ApiProperty({
    type: [DomainProblem],
    description:
      'What the last look-up found wrong; empty before it. Where the host points does not hold up its verification: `target_missing` and `target_differs` are for its owner to mend.',
  })
  problems: readonly Problem[];
}
