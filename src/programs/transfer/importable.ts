import { CAMPAIGN_COLUMNS, NOTIFICATION_COLUMNS } from '../../notifications/notification.dto';
import type { RecordColumns } from '../../platform/common/records';
import type { Extensions } from '../../platform/extensions/extensions';
import { schedulingColumns } from '../../scheduling/collections/collection';
import { Collections } from '../../scheduling/collections/collections';

/** What `frontdesk import` and `export` accept. */
export function importableOf(extensions: Extensions): RecordColumns[] {
  return [CAMPAIGN_COLUMNS, NOTIFICATION_COLUMNS, ...extensions.importable, ...new Collections(extensions).list.map(schedulingColumns)];
}
