import { domainToASCII } from 'node:url';
import { ApiProperty, PartialType } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { HOST, oneOf } from '../platform/common/field-types';
import { foldSearchText } from '../platform/common/fold-text';
import { IsHttpUrlOrEmpty, IsOneOf, rule } from '../platform/http/input/rules';
import { CreationTime, RecordField, UpdateTime } from '../platform/http/record-fields';
import { contains, ENABLED, equals, listQuery, times } from '../platform/http/list-query';
import { DOMAIN_STATUS } from './verification/domain-verification.entity';
import { VERIFICATION_STATUSES } from './verification/verification-status';
import { DomainState } from './verification/verification.dto';

const IsHostName = rule('isHostName', HOST);

const SCHEMES = ['https://', 'http://'] as const;

export class DomainQuery extends listQuery({
  filters: {
    host: contains('host', 'example.com', toSearchTexts),
    scheme: equals(oneOf(SCHEMES, 'https://')),
    verification_status: { ...equals(oneOf(VERIFICATION_STATUSES, 'verified')), ...DOMAIN_STATUS },
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
function toSearchTexts(text: string): [string, string?] {
  const folded = foldSearchText(text);
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
  @RecordField({
    type: 'string',
    example: 'https://example.com/welcome',
    description: 'URL that the bare domain redirects to; empty when not set.',
  })
  custom_index_url: string;

  @RecordField({
    type: 'string',
    example: 'https://example.com/lost',
    description: 'URL that unknown paths redirect to; empty when not set.',
  })
  custom_not_found_url: string;
}

export class DomainRecord {
  @RecordField({ type: 'integer', example: 7 })
  id: number;

  @RecordField({ type: 'string', example: 'https://' })
  scheme: string;

  @RecordField({ type: 'string', example: 'www.example.com' })
  host: string;

  @RecordField({ type: 'string', example: 'https://example.com/welcome', description: 'Empty when not set.' })
  custom_index_url: string;

  @RecordField({ type: 'boolean', example: true })
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
  @RecordField({ type: 'string', example: 'https://example.com/lost' })
  custom_not_found_url: string;
}
