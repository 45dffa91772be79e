import { Injectable } from '@nestjs/common';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { SqlReader } from '../platform/database/dialect';
import { inList } from '../platform/database/value-lists';
import type { ChannelType } from './channel-settings';

interface EnabledHandler {
  handlerId: number;
  type: ChannelType;
}

const FIND_ENABLED = 'SELECT id, type FROM notification_handlers WHERE account_id = ? AND is_enabled = 1';

const FIND_OWNER_AND_TYPE = 'SELECT account_id, type, is_enabled FROM notification_handlers WHERE id = ?';

/** SQL condition on `deliveries`: the handler exists, is enabled, and still has the delivery's type. */
export const HAS_USABLE_HANDLER = `EXISTS
  (SELECT 1 FROM notification_handlers WHERE id = deliveries.handler_id AND is_enabled = 1 AND type = deliveries.type)`;

/** Left-joins each `delivery`'s `handler`; its columns are null once the handler is deleted. */
export function joinHandler<T extends ObjectLiteral>(deliveries: SelectQueryBuilder<T>): SelectQueryBuilder<T> {
  return deliveries.leftJoin('notification_handlers', 'handler', 'handler.id = delivery.handler_id');
}

/** Finds the enabled handlers that messages go through. */
@Injectable()
export class EnabledHandlers {
  /** The account's enabled handlers, at most `max`, by ascending id; with `ids`, only these. */
  async find(statements: SqlReader, accountId: number, max: number, ids?: readonly number[]): Promise<EnabledHandler[]> {
    const among = ids ? inList(ids) : undefined;
    const sql = `${FIND_ENABLED} ${among ? `AND id IN ${among.sql}` : ''} ORDER BY id LIMIT ?`;
    const rows = await statements.read<[number, ChannelType]>(sql, [accountId, ...(among?.values ?? []), max]);
    return rows.map(([handlerId, type]) => ({ handlerId, type }));
  }

  /** The account that owns the handler, and its type, which is null while the handler is disabled. Undefined once it is deleted. */
  async findOwnerAndType(statements: SqlReader, id: number): Promise<{ accountId: number; type: ChannelType | null } | undefined> {
    const [row] = await statements.read<[accountId: number, type: ChannelType, isEnabled: number]>(FIND_OWNER_AND_TYPE, [id]);
    return row && { accountId: row[0], type: row[2] === 1 ? row[1] : null };
  }
}
