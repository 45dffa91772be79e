import { t } from '../language/language';
import { Page } from '../shell/page';

export default function OverviewPage() {
  return (
    <Page title={t.pages.overview}>
      <p class="muted">{t.shell.comingSoon}</p>
    </Page>
  );
}
