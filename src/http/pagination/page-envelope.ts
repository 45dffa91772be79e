import { ApiProperty } from '@nestjs/swagger';
import type { Page } from '../../common/page';
import { RecordField } from '../openapi/record-schema';

/** The body of a list. `link` builds a page's URL; page numbers are passed in digits, even past 1e21. */
export function pageEnvelope<T>({ records, total, request: { page, size } }: Page<T>, link: (page: string) => string) {
  const totalPages = Math.ceil(total / size);
  const last = Math.max(totalPages, 1);
  const linkTo = (number: number) => link(BigInt(number).toString());
  return {
    data: records,
    meta: { page, results_per_page: size, total, total_pages: totalPages },
    links: {
      first: linkTo(1),
      last: linkTo(last),
      next: page < totalPages ? linkTo(page + 1) : null,
      prev: page > 1 ? linkTo(Math.min(page - 1, last)) : null,
      self: linkTo(page),
    },
  };
}

export class PageMeta {
  @RecordField('integer', 1) page: number;
  @RecordField('integer', 25) results_per_page: number;
  @RecordField('integer', 1) total: number;
  @RecordField('integer', 1) total_pages: number;
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
