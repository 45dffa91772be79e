import { CAMPAIGN_COLUMNS, NOTIFICATION_COLUMNS } from '../../notifications/notification-columns';
import type { RecordColumns } from '../../platform/common/records';
import type { Extensions } from '../../platform/extensions/extensions';
import { schedulingColumns } from '../../scheduling/collections/collection';
import { COLLECTIONS } from '../../scheduling/collections/collections';

/** What `frontdesk import` and `export` accept. */
export function importableOf({ importable, collections }: Extensions): RecordColumns[] {
  return [CAMPAIGN_COLUMNS, NOTIFICATION_COLUMNS, ...importable, ...[...COLLECTIONS, ...collections].map(schedulingColumns)];
}
