/** Maps actions to the second part of an event type: `delete` to the `deleted` of `domain.deleted`. */
export const EVENT_ACTIONS = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  verify: 'verified',
  unverify: 'unverified',
  fail: 'failed',
  cancel: 'cancelled',
  acknowledge: 'acknowledged',
  deliver: 'delivered',
  retry: 'retried',
  receipt: 'receipt',
  certificate: 'certificate',
  complete: 'completed',
  revoke: 'revoked',
} as const;

export type EventAction = keyof typeof EVENT_ACTIONS;

/** The default of `TableOptions.events`. */
export const RECORD_ACTIONS: readonly EventAction[] = ['create', 'update', 'delete'];

/** `notification_handler` for a `notification handler`. */
export function eventNoun(noun: string): string {
  return noun.replaceAll(' ', '_');
}

/** `domain.deleted` */
export function eventType(noun: string, action: EventAction): string {
  return `${eventNoun(noun)}.${EVENT_ACTIONS[action]}`;
}

/** Key in a delivery event's `data`: the event that it notifies of. The feed omits such deliveries: each would cause another one. */
export const NOTIFIED_EVENT = 'tells';

/** The parts of an event that its description needs. */
export interface DescribedEvent {
  /** `domain.verified` */
  type: string;
  record: { type: string; id: number } | null;
  actor: { type: 'key' | 'operator' | 'service' };
  data: Readonly<Record<string, unknown>>;
}

/** A message about an event, for people; must keep to the length limits of messages. */
export interface EventText {
  title: string;
  text: string;
  url?: string;
}

/** `Coupon updated`: `The coupon 7 was updated: code, value.` */
export function plainText({ type, record, data }: DescribedEvent): EventText {
  const [noun, verb] = type.split('.').map((part) => part.replaceAll('_', ' '));
  const { name, changed } = data;
  const which = typeof name === 'string' ? ` "${name}"` : record ? ` ${record.id}` : '';
  const what = Array.isArray(changed) && changed.length > 0 ? `: ${listOf(changed)}` : '';
  return { title: `${noun[0].toUpperCase()}${noun.slice(1)} ${verb}`, text: `The ${noun}${which} was ${verb}${what}.` };
}

/** `Import completed`: `Records of agendamentos were imported: 40 inserted, 2 updated, 0 bad.` */
export function describeImport({ collection, inserted, updated, bad }: Readonly<Record<string, unknown>>): EventText {
  const counts = `${Number(inserted)} inserted, ${Number(updated)} updated, ${Number(bad)} bad`;
  return { title: 'Import completed', text: `Records of ${String(collection)} were imported: ${counts}.` };
}

/** The changed fields as text. */
export function listOf(changed: unknown): string {
  return Array.isArray(changed) && changed.length > 0 ? changed.join(', ') : 'unknown fields';
}
