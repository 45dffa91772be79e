import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, type Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { map, type Observable } from 'rxjs';
import { CursorPage, Page, type PageRequest } from '../common/records';
import { Config } from '../config/config';
import { filterNames, PageQuery, pageRequestOf } from './list-query';
import { PerRoute, type RouteHandler } from './per-route';

const NO_PARAMETERS = new URLSearchParams();

/** Metadata key: the DTO of a list's query. Without it, links keep every parameter as it was sent, with the page last. */
export const PAGE_QUERY_KEY = 'frontdesk:page-query';

/** Wraps the page that a handler returns in its envelope. */
@Injectable()
export class PaginationInterceptor implements NestInterceptor {
  private readonly routes = new PerRoute((controller, handler) => this.routeOf(controller, handler));

  constructor(
    private readonly config: Config,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const wrap = (result: object) => {
      if (result instanceof Page) return this.wrapPage(result, context);
      return result instanceof CursorPage ? cursorEnvelope(result) : result;
    };
    return next.handle().pipe(map(wrap));
  }

  private wrapPage(page: Page<unknown>, context: ExecutionContext) {
    const request: Request = context.switchToHttp().getRequest();
    const { path, query } = this.routes.of(context);
    const address = path.replace(/:(\w+)/g, (_, name: string) => String(request.params[name]));
    const parameters = queryOf(request);
    const link = linksTo(`${this.config.publicUrl}/${address}`, query, parameters);
    return pageEnvelope(page, pageRequestOf(query ?? PageQuery, parameters), link);
  }

  /** Uses the main path, which a controller with several paths lists first. */
  private routeOf(controller: Type, handler: RouteHandler) {
    const paths = [controller, handler].map((target) => this.reflector.get<string | string[]>(PATH_METADATA, target));
    const path = paths.map((path) => (typeof path === 'string' ? path : path[0])).join('/');
    const query = this.reflector.get<Type<PageQuery> | undefined>(PAGE_QUERY_KEY, handler);
    return { path: path.replace(/\/{2,}/g, '/').replace(/^\/|\/$/g, ''), query };
  }
}

function queryOf({ originalUrl }: Request): URLSearchParams {
  const start = originalUrl.indexOf('?');
  return start < 0 ? NO_PARAMETERS : new URLSearchParams(originalUrl.slice(start).replace(/#.*$/, ''));
}

/** The API promises links of the form `?&page=<n>`, followed by the page size and the filters that the request has, in the DTO's order. */
function linksTo(url: string, query: Type<PageQuery> | undefined, parameters: URLSearchParams): (page: number) => string {
  if (parameters.size === 0) return (page) => `${url}?&page=${page}`;
  if (!query) {
    const others = new URLSearchParams([...parameters].filter(([name]) => name !== 'page')).toString();
    return (page) => `${url}?${others}&page=${page}`;
  }
  const names = ['results_per_page', ...filterNames(query)].filter((name) => parameters.has(name));
  const suffix = names.map((name) => `&${new URLSearchParams({ [name]: parameters.get(name)! }).toString()}`).join('');
  return (page) => `${url}?&page=${page}${suffix}`;
}

/** The body of a list. `link` builds a page's URL. */
function pageEnvelope<T>({ records, total }: Page<T>, { page, size }: PageRequest, link: (page: number) => string) {
  const totalPages = Math.ceil(total / size);
  const last = Math.max(totalPages, 1);
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

function cursorEnvelope<T>({ records, next, hasMore }: CursorPage<T>) {
  return { data: records, meta: { next, has_more: hasMore } };
}
