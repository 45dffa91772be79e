import { t } from '../language/language';
import { Page } from '../shell/page';

export default function NotificationsPage() {
  return (
    <Page title={t.pages.notifications}>
      <p class="muted">{t.shell.comingSoon}</p>
    </Page>
  );
}
