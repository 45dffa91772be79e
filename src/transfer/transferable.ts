import type { RecordColumns } from '../common/record-columns';
import { CAMPAIGN_COLUMNS } from '../notifications/campaigns.columns';
import { NOTIFICATION_COLUMNS } from '../notifications/notifications.columns';
import { COLLECTIONS } from '../scheduling/collections/collections';
import { schedulingColumns } from '../scheduling/collections/scheduling.columns';

/** The collections that can be imported and exported, including every scheduling collection. */
export const TRANSFERABLE: readonly RecordColumns[] = [CAMPAIGN_COLUMNS, NOTIFICATION_COLUMNS, ...COLLECTIONS.map(schedulingColumns)];
