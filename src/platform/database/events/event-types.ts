/** Those of `Records`, and the default of `TableOptions.events`. */
export const RECORD_ACTIONS: readonly string[] = ['create', 'update', 'delete'];

/** Key in a delivery event's `data`: the event that it notifies of. The feed omits such deliveries: each would cause another one. */
export const NOTIFIED_EVENT = 'notifies_of';

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

/** The changed fields as text. */
export function listOf(changed: unknown): string {
  return Array.isArray(changed) && changed.length > 0 ? changed.join(', ') : 'unknown fields';
}
