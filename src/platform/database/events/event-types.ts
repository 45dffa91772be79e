/** The actions that `Records` logs, and the default of `TableOptions.events`. */
export const RECORD_ACTIONS: readonly string[] = ['create', 'update', 'delete'];

/** Key in a delivery event's `data` for the event that the delivery reports. The feed omits such delivery events: each would cause another delivery. */
export const NOTIFIED_EVENT = 'notifies_of';

/** The parts of an event that its description needs. */
export interface DescribedEvent {
  /** `domain.verified` */
  type: string;
  record: { type: string; id: number } | null;
  actor: { type: 'key' | 'operator' | 'service' };
  data: Readonly<Record<string, unknown>>;
}

/** A human-readable description of an event, within the length limits of a message's fields. */
export interface EventText {
  title: string;
  text: string;
  url?: string;
}

/** The changed fields as text. */
export function fieldList(changed: unknown): string {
  return Array.isArray(changed) && changed.length > 0 ? changed.join(', ') : 'unknown fields';
}
