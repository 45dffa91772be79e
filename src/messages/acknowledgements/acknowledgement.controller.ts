import { Controller, Get, HttpCode, Post, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../auth/route-policies';
import { NeedsNoIdempotencyKey } from '../../platform/http/input/idempotency-key';
import { acknowledgementPage, languageOf, PAGE_HEADERS } from './acknowledgement-page';
import { Acknowledgements } from './acknowledgements';
import { LinkErrorFilter } from './link-error.filter';
import { LinkGuard } from './link.guard';

/** The page that opens from the link in each delivery of a message with `until=acknowledged`; a 404 for any other link. */
@Public()
@UseGuards(LinkGuard)
@UseFilters(LinkErrorFilter)
@ApiExcludeController()
@Controller('acknowledge/:token')
export class AcknowledgementController {
  constructor(private readonly acknowledgements: Acknowledgements) {}

  /** Also answers HEAD. Changes nothing, because mail scanners and chat services open links, too. */
  @Get()
  async show(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    if (request.linked) await this.acknowledgements.countView(request.linked);
    return send(request, response);
  }

  @Post()
  @HttpCode(200)
  @NeedsNoIdempotencyKey()
  async acknowledge(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    const { linked, id } = request;
    if (!linked) return send(request, response);
    const { acknowledged } = await this.acknowledgements.byLink(linked, id);
    return send(request, response, acknowledged);
  }
}

function send(request: Request, response: Response, acknowledged?: string): string {
  response.set(PAGE_HEADERS);
  if (!request.linked) response.status(404);
  return acknowledgementPage(languageOf(request), request.linked, acknowledged);
}
