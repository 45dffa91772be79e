import { t } from '../language/language';
import { Page } from '../shell/page';

export default function SchedulingPage() {
  return (
    <Page title={t.pages.scheduling}>
      <p class="muted">{t.shell.comingSoon}</p>
    </Page>
  );
}
