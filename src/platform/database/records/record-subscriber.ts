import {
  type DataSource,
  type EntityMetadata,
  type EntitySubscriberInterface,
  EventSubscriber,
  type InsertEvent,
  type UpdateEvent,
} from 'typeorm';
import { Clock } from '../../common/clock';
import { fold } from '../../common/fold-text';
import { timestamp } from '../../common/time';
import type { Dialect } from '../dialect';
import { CREATED, FOLDED, UPDATED } from './record-table';

type Columns = Record<string, unknown>;

/**
 * Sets the times and folded texts of what repositories, entity managers and query builders write, as `Records` does. Keeps times
 * that the caller has set.
 */
@EventSubscriber()
export class RecordSubscriber implements EntitySubscriberInterface {
  beforeInsert({ entity, metadata, dataSource }: InsertEvent<Columns>): void {
    if (isRecord(metadata)) entity[CREATED] ??= timeOf(dataSource);
    foldTexts(entity, metadata);
  }

  beforeUpdate({ entity, databaseEntity, metadata, dataSource }: UpdateEvent<Columns>): void {
    if (!entity) return;
    const isGiven = entity[UPDATED] !== undefined && entity[UPDATED] !== (databaseEntity as Columns | undefined)?.[UPDATED];
    if (isRecord(metadata) && !isGiven) entity[UPDATED] = timeOf(dataSource);
    foldTexts(entity, metadata);
  }
}

/** The time by the application's clock; by the machine's on the TypeORM command line. */
function timeOf({ options }: DataSource): string {
  const { dialect } = options as { dialect?: Dialect };
  return timestamp((dialect?.clock ?? new Clock()).now());
}

/** Whether the entity has the columns of an `AccountRecord`. */
function isRecord({ columns }: EntityMetadata): boolean {
  return ['account_id', CREATED, UPDATED].every((name) => columns.some(({ databaseName }) => databaseName === name));
}

function foldTexts(entity: Columns, { columns }: EntityMetadata): void {
  for (const { propertyName } of columns.filter((column) => column.propertyName.endsWith(FOLDED))) {
    const text = entity[propertyName.slice(0, -FOLDED.length)];
    if (typeof text === 'string' || text === null) entity[propertyName] = fold(text ?? '');
  }
}
