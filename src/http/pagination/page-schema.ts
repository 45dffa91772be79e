import { ApiProperty } from '@nestjs/swagger';
import { RecordField } from '../openapi/record-schema';

/** The `meta` of a list, as the OpenAPI document shows it. */
export class PageMeta {
  @RecordField('integer', 1)
  page: number;

  @RecordField('integer', 25)
  results_per_page: number;

  @RecordField('integer', 1)
  total: number;

  @RecordField('integer', 1)
  total_pages: number;
}

function Link(nullable: boolean): PropertyDecorator {
  const example = nullable ? null : 'https://frontdesk.example.com/api/domains?&page=1';
  return ApiProperty({ type: 'string', format: 'uri', nullable, examples: [example] });
}

/** The `links` of a list, as the OpenAPI document shows them. */
export class PageLinks {
  @Link(false)
  first: string;

  @Link(false)
  last: string;

  @Link(true)
  next: string | null;

  @Link(true)
  prev: string | null;

  @Link(false)
  self: string;
}
