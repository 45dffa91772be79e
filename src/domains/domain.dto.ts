import { domainToASCII } from 'node:url';
import { ApiProperty, PartialType } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { type FieldType, oneOf } from '../platform/common/field-types';
import { foldPart } from '../platform/common/fold-text';
import { hasValidPunycode, isHostName, MAX_HOST_LENGTH, withoutDot } from '../platform/common/hosts';
import { IsHttpUrlOrEmpty, IsOneOf, rule } from '../platform/http/input/rules';
import { CreationTime, RecordField, UpdateTime } from '../platform/http/record-fields';
import { contains, ENABLED, equals, listQuery, times } from '../platform/http/list-query';
import { STATUSES } from './verification/domain-verification.entity';
import { DomainState } from './verification/verification.dto';

/** A DNS host name: lower case, no trailing dot, other scripts in Punycode. */
export const HOST: FieldType<string> = {
  expected: `a host name of two labels or more and at most ${MAX_HOST_LENGTH} characters, without a scheme, port, path, IP address or underscore`,
  schema: { type: 'string', minLength: 1, maxLength: MAX_HOST_LENGTH, examples: ['www.example.com'] },
  parse(value) {
    // domainToASCII parses like a URL: it would decode %2e, cut at a slash, and drop invisible characters.
    if (/[\s\p{Cc}%:/\\?#@[\]<>^|]|(?![\u200C\u200D])\p{Cf}/u.test(value)) return undefined;
    const host = withoutDot(domainToASCII(value));
    // Checked after the conversion, because it turns 0x7f.1 and fullwidth digits into an IP address.
    return isHostName(host) && hasValidPunycode(host) ? host : undefined;
  },
};

const IsHostName = rule('isHostName', HOST);

const SCHEMES = ['https://', 'http://'] as const;

const VERIFICATIONS = 'domain_verifications';
/** A domain without a verification, or with one for a former host, is pending. */
const VERIFICATION_STATUS = `COALESCE((SELECT verification.status FROM ${VERIFICATIONS} verification
  WHERE verification.domain_id = domains.id AND verification.host = domains.host), 'pending')`;

export class DomainQuery extends listQuery({
  filters: {
    host: contains('host', 'example.com', textsOf),
    scheme: equals(oneOf(SCHEMES, 'https://')),
    verification_status: { ...equals(oneOf(STATUSES, 'verified'), VERIFICATION_STATUS), table: VERIFICATIONS },
    is_enabled: ENABLED,
    ...times(),
  },
  orderby: ['host', 'datetime', 'last_datetime'],
  include: ['verification'],
}) {}

/**
 * Texts to search for in hosts, which are stored in Punycode. A text with URL syntax is not converted: domainToASCII parses like a URL,
 * and would cut at a slash, and decode %2e.
 */
function textsOf(text: string): [string, string?] {
  const folded = foldPart(text);
  const mayBeUnicode = /\P{ASCII}/u.test(text) && !/[%/\\?#]/.test(text);
  const punycode = mayBeUnicode ? domainToASCII(text) : '';
  if (punycode === '' || punycode === folded) return [folded];
  return /^\p{ASCII}+$/u.test(folded) ? [punycode, folded] : [punycode];
}

export class CreateDomain {
  @IsHostName('Host name; unique across all accounts.')
  host: string;

  @IsOptional()
  @IsOneOf(SCHEMES, 'URL scheme prefix. A new domain defaults to https://.')
  scheme?: string;

  @IsOptional()
  @IsHttpUrlOrEmpty('URL that the bare domain redirects to.')
  custom_index_url?: string;

  @IsOptional()
  @IsHttpUrlOrEmpty('URL that unknown paths redirect to. Not returned in the record.')
  custom_not_found_url?: string;
}

/** Omitted fields keep their values; an empty URL clears the stored one. */
export class UpdateDomain extends PartialType(CreateDomain) {}

export class DomainSettings {
  @RecordField('string', 'https://example.com/welcome', 'URL that the bare domain redirects to; empty when not set.')
  custom_index_url: string;

  @RecordField('string', 'https://example.com/lost', 'URL that unknown paths redirect to; empty when not set.')
  custom_not_found_url: string;
}

export class DomainRecord {
  @RecordField('integer', 7)
  id: number;

  @RecordField('string', 'https://')
  scheme: string;

  @RecordField('string', 'www.example.com')
  host: string;

  @RecordField('string', 'https://example.com/welcome', 'Empty when not set.')
  custom_index_url: string;

  @RecordField('boolean', true)
  is_enabled: boolean;

  @UpdateTime()
  last_datetime: string | null;

  @CreationTime()
  datetime: string;
}

const STATE_EXAMPLE: DomainState = {
  status: 'verified',
  lost: false,
  checked: '2026-11-21 14:05:09',
  next_check: '2026-11-22 14:05:09',
  problems: [],
};

export class ListedDomain extends DomainRecord {
  @ApiProperty({ type: DomainState, required: false, description: 'With `include=verification`.', examples: [STATE_EXAMPLE] })
  verification?: DomainState;
}

/** The stored domain: the record and its settings. */
export class StoredDomain extends DomainRecord implements DomainSettings {
  @RecordField('string', 'https://example.com/lost')
  custom_not_found_url: string;
}
