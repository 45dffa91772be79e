import { Injectable } from '@nestjs/common';
import { timestamp } from '../../common/time';
import { Dialect, type RowValues } from '../../database/dialect';
import type { Outcome } from '../channels/channel';
import type { DeliveryRecord } from '../delivery.dto';
import type { DeliveryStatus } from '../delivery.entity';

export interface DeliveryListQuery {
  accountId?: number;
  status?: DeliveryStatus;
  max: number;
}

export interface ListedDelivery extends Omit<DeliveryRecord, 'last_datetime'> {
  account_id: number;
  /** Of the last attempt that has ended. */
  outcome: Outcome | null;
}

const SELECT = `SELECT id, account_id, message_id, handler_id, type, status, attempts, next_attempt, datetime,
  (SELECT outcome FROM delivery_attempts WHERE delivery_id = deliveries.id ORDER BY number DESC LIMIT 1) FROM deliveries`;

/** Deliveries of all accounts, for operators. */
@Injectable()
export class DeliveryList {
  constructor(private readonly dialect: Dialect) {}

  /** The newest first. */
  async find({ accountId, status, max }: DeliveryListQuery): Promise<ListedDelivery[]> {
    const conditions = [...(accountId === undefined ? [] : ['account_id = ?']), ...(status === undefined ? [] : ['status = ?'])];
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const values = [accountId, status, max].filter((value) => value !== undefined);
    return (await this.dialect.read(`${SELECT} ${where} ORDER BY id DESC LIMIT ?`, values)).map(toListed);
  }
}

function toListed([id, account, message, handler, type, status, attempts, next, datetime, outcome]: RowValues): ListedDelivery {
  return {
    ...{ id: Number(id), account_id: Number(account), message_id: Number(message), handler_id: Number(handler), type: String(type) },
    ...{ status: status as DeliveryStatus, attempts: Number(attempts), outcome: outcome as Outcome | null, datetime: String(datetime) },
    next_attempt: next === null ? null : timestamp(new Date(Number(next))),
  };
}
