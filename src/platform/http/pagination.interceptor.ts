import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants';
import { Reflector } from '@nestjs/core';
import { ApiProperty } from '@nestjs/swagger';
import type { Request } from 'express';
import { map, type Observable } from 'rxjs';
import { Page, type PageRequest } from '../common/records';
import { Config } from '../config/config';
import { filterNames } from './list-query';
import { RecordField } from './record-fields';

/** Wraps the `Page` that a handler returns in the list envelope. */
@Injectable()
export class PaginationInterceptor implements NestInterceptor {
  constructor(
    private readonly config: Config,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request: Request = context.switchToHttp().getRequest();
    const url = () => `${this.config.publicUrl}/${this.pathOf(context, request)}`;
    return next
      .handle()
      .pipe(map((found: object) => (found instanceof Page ? pageEnvelope(found, linksTo(url(), found.request, request)) : found)));
  }

  /** The main path of the route: a controller with several lists it first. */
  private pathOf(context: ExecutionContext, { params }: Request): string {
    const paths = [context.getClass(), context.getHandler()].map((target) => this.reflector.get<string | string[]>(PATH_METADATA, target));
    const path = paths.map((path) => (typeof path === 'string' ? path : path[0])).join('/');
    return path
      .replace(/\/{2,}/g, '/')
      .replace(/^\/|\/$/g, '')
      .replace(/:(\w+)/g, (_, name: string) => String(params[name]));
  }
}

/** The API promises links of the form `?&page=<n>`, followed by the page size and the filters that the request has, in the DTO's order. */
function linksTo(url: string, query: PageRequest, { originalUrl }: Request): (page: number) => string {
  if (!originalUrl.includes('?')) return (page) => `${url}?&page=${page}`;
  const sent = new URL(originalUrl, 'http://localhost').searchParams;
  if (query.keepsQuery) {
    sent.delete('page');
    return (page) => `${url}?${sent.toString()}&page=${page}`;
  }
  const names = ['results_per_page', ...filterNames(query)].filter((name) => sent.has(name));
  const kept = names.map((name) => `&${new URLSearchParams({ [name]: sent.get(name)! }).toString()}`).join('');
  return (page) => `${url}?&page=${page}${kept}`;
}

/** The body of a list. `link` builds a page's URL. */
export function pageEnvelope<T>({ records, total, request }: Page<T>, link: (page: number) => string) {
  const totalPages = Math.ceil(total / request.size);
  const last = Math.max(totalPages, 1);
  return {
    data: records,
    meta: { page: request.page, results_per_page: request.size, total, total_pages: totalPages },
    links: {
      first: link(1),
      last: link(last),
      next: request.page < totalPages ? link(request.page + 1) : null,
      prev: request.page > 1 ? link(Math.min(request.page - 1, last)) : null,
      self: link(request.page),
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
