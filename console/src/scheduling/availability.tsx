import { t } from '../language/language';
import type { Choices } from '../lists/filters';

/** Without a choice, the console lists all attendants; by default, the API would omit unavailable ones. */
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
