import { Readable } from 'node:stream';
import { Controller, Get, Req, Res, StreamableFile, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Clock, Public, timestamp } from 'frontdesk';
import { AppointmentChanges } from '../appointments/appointment-changes';
import { FeedAppointments } from '../appointments/feed-appointments';
import { CalendarGuard } from './calendar.guard';
import { icalendar } from './icalendar';

const RESPONSE_HEADERS = {
  'Cache-Control': 'private, no-cache',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

/** Serves calendars as iCalendar files. The address is the secret. */
@Public()
@UseGuards(CalendarGuard)
@ApiExcludeController()
@Controller('calendars')
export class CalendarsController {
  constructor(
    private readonly appointments: FeedAppointments,
    private readonly changes: AppointmentChanges,
    private readonly clock: Clock,
  ) {}

  /** Also answers HEAD. If the client's entity tag is current, only the guard's query runs. */
  @Get(':token.ics')
  async read(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<StreamableFile | undefined> {
    const calendar = request.calendar!;
    const isFirst = calendar.state === 0;
    if (isFirst) await this.changes.update(calendar.accountId);
    // The days that are shown change with the date.
    const tag = `"${calendar.id}-${isFirst ? 1 : calendar.state}-${timestamp(this.clock.now()).slice(0, 10)}"`;
    response.set({ ...RESPONSE_HEADERS, ETag: tag });
    if (matchesTag(tag, request.headers['if-none-match'])) {
      response.status(304);
      return undefined;
    }
    const text = Readable.from(icalendar(calendar, this.appointments.find(calendar)));
    return new StreamableFile(text, { type: 'text/calendar; charset=utf-8' });
  }
}

/** RFC 9110, 13.1.2: tags are compared weakly. */
function matchesTag(tag: string, header = ''): boolean {
  return header.trim() === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}
