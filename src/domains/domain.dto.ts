import { PartialType } from '@nestjs/swagger';
import { Field, OptionalField } from '../http/input/fields';
import { HTTP_URL, orEmpty } from '../common/field-types';
import { CreationTime, RecordField, UpdateTime } from '../http/openapi/record-schema';
import { SCHEME } from './domain-query';
import { HOST } from './host';

export class CreateDomain {
  @Field(HOST, 'Host name; unique across all accounts.')
  host: string;

  @OptionalField(SCHEME, 'URL scheme prefix. A new domain defaults to https://.')
  scheme?: string;

  @OptionalField(orEmpty(HTTP_URL), 'URL that the bare domain redirects to.')
  custom_index_url?: string;

  @OptionalField(orEmpty(HTTP_URL), 'URL that unknown paths redirect to. Not returned in the record.')
  custom_not_found_url?: string;
}

/** Omitted fields keep their values; an empty URL clears the stored one. */
export class UpdateDomain extends PartialType(CreateDomain) {}

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
