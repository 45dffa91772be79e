import { CAMPAIGN_COLUMNS, NOTIFICATION_COLUMNS } from '../../notifications/notification.dto';
import type { RecordColumns } from '../../platform/common/records';
import type { Extensions } from '../../platform/extensions/extensions';
import { schedulingColumns } from '../../scheduling/collections/collection';
import { COLLECTIONS } from '../../scheduling/collections/collections.dto';

/** What `frontdesk import` and `export` accept. */
export function importableOf({ importable, collections }: Extensions): RecordColumns[] {
  const served = [...COLLECTIONS.map(({ collection }) => collection), ...collections];
  return [CAMPAIGN_COLUMNS, NOTIFICATION_COLUMNS, ...importable, ...served.map(schedulingColumns)];
}
