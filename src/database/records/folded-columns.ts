import { type EntityMetadata, type EntitySubscriberInterface, EventSubscriber, type InsertEvent, type UpdateEvent } from 'typeorm';
import { fold } from '../../common/fold-text';

/** The column `<name>_folded` holds the folded text of the column `<name>`, to be searched and ordered by. */
export const FOLDED = '_folded';

/** Keeps folded columns in step with what repositories and entity managers write; `Records` does so itself. */
@EventSubscriber()
export class FoldedColumns implements EntitySubscriberInterface {
  beforeInsert({ entity, metadata }: InsertEvent<Record<string, unknown>>): void {
    foldTexts(entity, metadata);
  }

  beforeUpdate({ entity, metadata }: UpdateEvent<Record<string, unknown>>): void {
    if (entity) foldTexts(entity, metadata);
  }
}

function foldTexts(entity: Record<string, unknown>, { columns }: EntityMetadata): void {
  for (const { propertyName } of columns.filter((column) => column.propertyName.endsWith(FOLDED))) {
    const text = entity[propertyName.slice(0, -FOLDED.length)];
    if (typeof text === 'string' || text === null) entity[propertyName] = fold(text ?? '');
  }
}
