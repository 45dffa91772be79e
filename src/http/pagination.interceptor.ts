import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { Config } from '../config';
import { Page } from '../database/page';
import type { PageQuery } from './page-query';
import { resourcePath } from './resource-path';

/** Makes the envelope of a list out of a `Page`; every other result passes as it is. */
@Injectable()
export class PaginationInterceptor implements NestInterceptor {
  constructor(private readonly config: Config) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      map((result: unknown) => {
        if (!(result instanceof Page)) return result;
        const { query } = context.switchToHttp().getRequest<{ query: PageQuery }>();
        return envelope(result, this.config.publicUrl + resourcePath(context), query.results_per_page);
      }),
    );
  }
}

/** The links have the form that was promised, `?&page=<n>`; a page size follows when the request named one. */
export function envelope({ records, total, request: { page, size } }: Page<unknown>, address: string, namedSize?: number) {
  const totalPages = Math.ceil(total / size);
  const last = Math.max(totalPages, 1);
  const suffix = namedSize ? `&results_per_page=${namedSize}` : '';
  const link = (number: number) => `${address}?&page=${BigInt(number)}${suffix}`; // BigInt: no exponent in a huge page
  return {
    data: records,
    meta: { page, results_per_page: size, total, total_pages: totalPages },
    links: {
      first: link(1),
      last: link(last),
      next: page < totalPages ? link(page + 1) : null,
      prev: page > 1 ? link(Math.min(page - 1, last)) : null,
      self: link(page),
    },
  };
}
