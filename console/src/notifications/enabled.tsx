import { t } from '../language/language';

export function Enabled({ isEnabled }: { isEnabled: boolean }) {
  return isEnabled ? <span class="badge badge-success">{t.notifications.on}</span> : <span class="badge">{t.notifications.off}</span>;
}
