import type { Schemas } from '../api/api';
import { t, textFor } from '../language/language';

export type Notification = Schemas['NotificationRecord'];

export type Position = keyof typeof t.notifications.positions;

/** What a visitor sees of a notification. Settings may be any JSON, so missing values and those of a wrong type are omitted. */
export interface Appearance {
  title: string;
  text: string;
  /** A coupon's code. */
  code: string;
  position: Position;
  /** Seconds for which it is shown. */
  duration: number | undefined;
}

export function appearanceOf({ name, settings }: Notification): Appearance {
  const { title, description, message, coupon_code: code, display_position: position, display_duration: duration } = settings;
  return {
    title: textOf(title) || name,
    text: textOf(description) || textOf(message),
    code: textOf(code),
    position: isPosition(position) ? position : 'bottom_left',
    duration: typeof duration === 'number' && duration > 0 ? duration : undefined,
  };
}

/** A type such as `INFORMATIONAL` in words. The list of types is open, so unknown ones are only reformatted. */
export function typeText(type: string): string {
  const words = type.toLowerCase().replaceAll('_', ' ');
  return textFor(t.notifications.types, type) ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

export function isPosition(value: unknown): value is Position {
  return typeof value === 'string' && Object.hasOwn(t.notifications.positions, value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
