import { t } from '../language/language';
import type { Choices } from '../lists/filters';

/** Without a choice, the console lists all: the interface alone would leave out who isn't available. */
export const AVAILABILITIES: Choices = [
  ['true', t.scheduling.available],
  ['false', t.scheduling.unavailable],
];

export function Availability({ isAvailable }: { isAvailable: boolean }) {
  return isAvailable ? (
    <span class="badge badge-success">{t.scheduling.available}</span>
  ) : (
    <span class="badge">{t.scheduling.unavailable}</span>
  );
}
