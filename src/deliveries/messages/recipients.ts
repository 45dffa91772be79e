import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Dialect, type SqlReader } from '../../database/dialect';
import { RequestError, type Violation } from '../../http/errors/request-error';
import type { FormChecker } from '../../http/input/validation.guard';
import { DeliveryTargets } from '../../notification-handlers/delivery-targets';
import type { Recipient } from '../queue/lane';
import { type CreateMessage, HANDLER_IDS } from './message.dto';

const MAX_RECIPIENTS = 1_000;

/** The handlers that a message goes through. */
@Injectable()
export class Recipients implements FormChecker {
  constructor(
    private readonly targets: DeliveryTargets,
    private readonly dialect: Dialect,
  ) {}

  /** @throws RequestError 400 */
  async find(statements: SqlReader, accountId: number, ids?: readonly number[]): Promise<Recipient[]> {
    const found = ids
      ? await this.targets.findEnabledAmong(statements, accountId, ids)
      : await this.targets.findEnabled(statements, accountId, MAX_RECIPIENTS + 1);
    if (ids && found.length < ids.length) throw refuse(`handler_ids must be ${HANDLER_IDS.expected}.`);
    if (found.length === 0) throw refuse('The account has no enabled notification handler: create or enable one.');
    if (found.length > MAX_RECIPIENTS) {
      throw refuse(`The account has more than ${MAX_RECIPIENTS} enabled handlers: name up to 100 in handler_ids.`);
    }
    return found.map(({ id: handlerId, type }) => ({ handlerId, type }));
  }

  async findViolations(request: Request): Promise<Violation[]> {
    const { handler_ids: ids } = request.body as CreateMessage;
    if (ids !== undefined && !Array.isArray(ids)) return []; // the DTO has refused it
    try {
      await this.find(this.dialect, request.user!.accountId, ids);
      return [];
    } catch (error) {
      if (error instanceof RequestError) return [...error.violations];
      throw error;
    }
  }
}

function refuse(detail: string): RequestError {
  return RequestError.of('invalid_parameter', detail, { in: 'form', name: 'handler_ids' });
}
