import { Catch } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type ErrorAnswer, ErrorFilter } from '../../platform/http/error.filter';
import { errorPage, languageOf, PAGE_HEADERS } from './acknowledgement-page';

/** Renders errors as a page, in the reader's language: a person opens the link. */
@Catch()
export class LinkErrorFilter extends ErrorFilter {
  protected override render(request: Request, response: Response, { status, headers }: ErrorAnswer): void {
    response
      .status(status)
      .set({ ...headers, ...PAGE_HEADERS })
      .send(errorPage(languageOf(request), status));
  }
}
