import { t } from '../language/language';
import { Page } from '../shell/page';

export default function EventsPage() {
  return (
    <Page title={t.pages.events}>
      <p class="muted">{t.shell.comingSoon}</p>
    </Page>
  );
}
