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

/** The default of every table. */
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

/** An event, as far as a sentence about it needs it. */
export interface DescribedEvent {
  /** `domain.verified` */
  type: string;
  record: { type: string; id: number } | null;
  actor: { type: 'key' | 'operator' | 'service' };
  data: Readonly<Record<string, unknown>>;
}

/** A message to people about an event, within the limits of a message. */
export interface EventText {
  title: string;
  text: string;
  url?: string;
}

/** `Coupon updated`: `The coupon 7 was changed: code, value.` */
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

/** The changed fields in a sentence; the previous version's processes don't log them. */
export function listOf(changed: unknown): string {
  return Array.isArray(changed) && changed.length > 0 ? changed.join(', ') : 'unknown fields';
}
