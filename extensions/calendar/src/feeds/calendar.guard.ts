import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AdmissionGuard, RecordNotFound, RequestError } from 'frontdesk';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { type Calendar, CalendarsService } from './calendars.service';

declare module 'express-serve-static-core' {
  interface Request {
    /** The calendar of the token in the address. */
    calendar?: Calendar;
  }
}

/** Per calendar per process. Phones refresh every quarter of an hour, services every few hours. */
const MAX_REQUESTS_PER_MINUTE = 30;

/** Finds the calendar of an address, and counts the request as its account's: the global guards know no caller on a public route. */
@Injectable()
export class CalendarGuard implements CanActivate {
  private readonly limiter = new RateLimiterMemory({ points: MAX_REQUESTS_PER_MINUTE, duration: 60 });

  constructor(
    private readonly calendars: CalendarsService,
    private readonly admission: AdmissionGuard,
  ) {}

  /** @throws RecordNotFound, RequestError 429 */
  async canActivate(context: ExecutionContext): Promise<true> {
    const request: Request = context.switchToHttp().getRequest();
    request.calendar = await this.calendars.find(String(request.params.token));
    if (!request.calendar) throw new RecordNotFound('calendar');
    await this.limiter.consume(request.calendar.id).catch(throwRateLimited);
    Object.assign(request, { user: { accountId: request.calendar.accountId, keyId: 0, scopes: new Set() } });
    return this.admission.admit(context);
  }
}

function throwRateLimited(result: unknown): never {
  if (!(result instanceof RateLimiterRes)) throw result;
  const seconds = Math.max(1, Math.ceil(result.msBeforeNext / 1_000));
  const detail = `A calendar can be read ${MAX_REQUESTS_PER_MINUTE} times a minute.`;
  throw RequestError.of('rate_limited', detail, undefined, { 'Retry-After': String(seconds) });
}
