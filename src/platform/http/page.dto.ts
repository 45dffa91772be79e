import { ApiProperty } from '@nestjs/swagger';
import { RecordField } from './record-fields';

export class PageMeta {
  @RecordField({ type: 'integer', example: 1 }) page: number;
  @RecordField({ type: 'integer', example: 25 }) results_per_page: number;
  @RecordField({ type: 'integer', example: 1 }) total: number;
  @RecordField({ type: 'integer', example: 1 }) total_pages: number;
}

function Link(nullable: boolean): PropertyDecorator {
  const example = nullable ? null : 'https://frontdesk.example.com/api/domains?&page=1';
  return ApiProperty({ type: 'string', format: 'uri', nullable, examples: [example] });
}

export class PageLinks {
  @Link(false) first: string;
  @Link(false) last: string;
  @Link(true) next: string | null;
  @Link(true) prev: string | null;
  @Link(false) self: string;
}
