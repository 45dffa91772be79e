/** Actions and the second half of their events' types: `delete` is `domain.deleted`. */
export const EVENT_ACTIONS = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  verify: 'verified',
  unverify: 'unverified',
  fail: 'failed',
  cancel: 'cancelled',
  deliver: 'delivered',
  retry: 'retried',
  receipt: 'receipt',
  complete: 'completed',
} as const;

export type EventAction = keyof typeof EVENT_ACTIONS;

/** Of an area that doesn't say otherwise. */
export const RECORD_ACTIONS: readonly EventAction[] = ['create', 'update', 'delete'];

/** `notification_handler` for a `notification handler`. */
export function eventNoun(noun: string): string {
  return noun.replaceAll(' ', '_');
}

/** `domain.deleted` */
export function eventType(noun: string, action: EventAction): string {
  return `${eventNoun(noun)}.${EVENT_ACTIONS[action]}`;
}

/** Key in `data`: the event that a delivery is about. Such a delivery is audited but is no event itself, which would cause another. */
export const TELLS = 'tells';
