import type { Schemas } from '../api/api';
import { t } from '../language/language';

export type Notification = Schemas['NotificationRecord'];

const POSITIONS = ['top_left', 'top_center', 'top_right', 'middle_left', 'middle_center', 'middle_right'] as const;
const LOWER_POSITIONS = ['bottom_left', 'bottom_center', 'bottom_right'] as const;
export type Position = (typeof POSITIONS)[number] | (typeof LOWER_POSITIONS)[number];

/** What a visitor sees of a notification. Settings are any JSON: what is missing, or isn't of its kind, is left out. */
export interface Appearance {
  title: string;
  text: string;
  /** A coupon's code. */
  code: string;
  position: Position;
  /** Seconds that it stays. */
  duration: number | undefined;
}

export function appearanceOf({ name, settings }: Notification): Appearance {
  const { title, description, message, coupon_code: code, display_position: position, display_duration: duration } = settings;
  return {
    title: textOf(title) || name,
    text: textOf(description) || textOf(message),
    code: textOf(code),
    position: [...POSITIONS, ...LOWER_POSITIONS].find((each) => each === position) ?? 'bottom_left',
    duration: typeof duration === 'number' && duration > 0 ? duration : undefined,
  };
}

/** `INFORMATIONAL` in words: the list of types is open, so another is shown as it reads. */
export function typeText(type: string): string {
  const known: Record<string, string> = t.notifications.types;
  const words = type.toLowerCase().replaceAll('_', ' ');
  return known[type] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
