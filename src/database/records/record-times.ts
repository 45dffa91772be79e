import {
  type DataSource,
  type EntityMetadata,
  type EntitySubscriberInterface,
  EventSubscriber,
  type InsertEvent,
  type UpdateEvent,
} from 'typeorm';
import { timestamp } from '../../common/time';
import { Clock } from '../../common/clock';
import type { Dialect } from '../dialect';
import { CREATED, UPDATED } from './record-table';

type Times = Record<string, unknown>;

/** Sets the times of records that repositories, entity managers and query builders write, as `Records` does. A given time stays. */
@EventSubscriber()
export class RecordTimes implements EntitySubscriberInterface {
  beforeInsert({ entity, metadata, dataSource }: InsertEvent<Times>): void {
    if (isRecord(metadata)) entity[CREATED] ??= timeOf(dataSource);
  }

  beforeUpdate({ entity, databaseEntity, metadata, dataSource }: UpdateEvent<Times>): void {
    if (!entity || !isRecord(metadata)) return;
    const isGiven = entity[UPDATED] !== undefined && entity[UPDATED] !== (databaseEntity as Times | undefined)?.[UPDATED];
    if (!isGiven) entity[UPDATED] = timeOf(dataSource);
  }
}

/** By the application's clock; the TypeORM command line has none. */
function timeOf({ options }: DataSource): string {
  const { dialect } = options as { dialect?: Dialect };
  return timestamp((dialect?.clock ?? new Clock()).now());
}

/** Whether it has the columns of an `AccountRecord`. */
function isRecord({ columns }: EntityMetadata): boolean {
  return ['account_id', CREATED, UPDATED].every((name) => columns.some(({ databaseName }) => databaseName === name));
}
