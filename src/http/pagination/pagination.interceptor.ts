import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { Config } from '../../config/config';
import type { Page } from '../../common/page';
import { controllerPaths } from '../server/nest-metadata';
import { pageEnvelope } from './page-envelope';
import type { PageQuery } from './page-query';

/** Wraps the `Page` that a handler returns in the list envelope. */
@Injectable()
export class PaginationInterceptor implements NestInterceptor {
  constructor(private readonly config: Config) {}

  /** The API promises links of the form `?&page=<n>`, followed by the page size if the request has one. */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { query } = context.switchToHttp().getRequest<{ query: PageQuery }>();
    const url = `${this.config.publicUrl}/${controllerPaths(context.getClass())[0]}`;
    const size = query.results_per_page ? `&results_per_page=${query.results_per_page}` : '';
    return next.handle().pipe(map((page: Page<unknown>) => pageEnvelope(page, (number) => `${url}?&page=${number}${size}`)));
  }
}
