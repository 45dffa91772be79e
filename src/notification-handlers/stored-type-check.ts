import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { recordIdOf } from '../http/input/record-id';
import type { Violation } from '../http/errors/request-error';
import type { FormChecker } from '../http/input/validation.guard';
import { otherTypeFields } from './other-type-fields';
import type { UpdateNotificationHandler } from './notification-handler.dto';
import { NotificationHandlersService } from './notification-handlers.service';

/** Checks the fields of an update without `type` against the stored handler's type. */
@Injectable()
export class StoredTypeCheck implements FormChecker {
  constructor(private readonly handlers: NotificationHandlersService) {}

  async findViolations(request: Request): Promise<Violation[]> {
    const changes = request.body as UpdateNotificationHandler;
    if (changes.type !== undefined) return []; // the DTO checks those
    const type = await this.handlers.findType(request.user!.accountId, recordIdOf(request, 'notification_handler_id'));
    return type ? otherTypeFields(changes, type) : [];
  }
}
