import { t } from '../language/language';
import { Page } from '../shell/page';

export default function DeliveriesPage() {
  return (
    <Page title={t.pages.deliveries}>
      <p class="muted">{t.shell.comingSoon}</p>
    </Page>
  );
}
