import type { RecordColumns } from '../common/record-columns';
import { CAMPAIGN_COLUMNS } from '../notifications/campaigns.columns';
import { NOTIFICATION_COLUMNS } from '../notifications/notifications.columns';
import { COLLECTIONS } from '../scheduling/collections/collections';
import { schedulingColumns } from '../scheduling/collections/scheduling.columns';

/** Everything that is imported and exported: a new scheduling collection is here by its definition. */
export const TRANSFERABLE: readonly RecordColumns[] = [CAMPAIGN_COLUMNS, NOTIFICATION_COLUMNS, ...COLLECTIONS.map(schedulingColumns)];

export function requiredNames({ columns }: RecordColumns): string[] {
  return columns.filter(({ fallback }) => fallback === undefined).map(({ name }) => name);
}

/** A name of the caller's file for a message: short, and without what a terminal would obey. */
export function shown(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name).replace(/[^\P{C}]/gu, '?');
}
