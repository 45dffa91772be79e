import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { map, type Observable } from 'rxjs';
import { Config } from '../../config/config';
import type { Page } from '../../common/page';
import { controllerPaths } from '../server/nest-metadata';
import { pageEnvelope } from './page-envelope';
import { filterNames, type PageQuery } from './page-query';

/** Wraps the `Page` that a handler returns in the list envelope. */
@Injectable()
export class PaginationInterceptor implements NestInterceptor {
  constructor(private readonly config: Config) {}

  /** The API promises links of the form `?&page=<n>`, followed by the page size and the filters that the request has. */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request & { query: PageQuery }>();
    const url = `${this.config.publicUrl}/${controllerPaths(context.getClass())[0]}`;
    const size = request.query.results_per_page ? `&results_per_page=${request.query.results_per_page}` : '';
    const kept = size + this.filtersOf(request);
    return next.handle().pipe(map((page: Page<unknown>) => pageEnvelope(page, (number) => `${url}?&page=${number}${kept}`)));
  }

  /** The filters of the request with the values that it sent, in the order of the DTO. */
  private filtersOf({ query, originalUrl }: Request & { query: PageQuery }): string {
    const names = filterNames(query);
    if (names.length === 0) return '';
    const sent = new URL(originalUrl, this.config.publicUrl).searchParams;
    const filters = names.flatMap((name): [string, string][] => (sent.has(name) ? [[name, sent.get(name)!]] : []));
    return filters.length > 0 ? `&${new URLSearchParams(filters).toString()}` : '';
  }
}
