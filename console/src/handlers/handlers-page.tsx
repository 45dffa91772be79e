import { t } from '../language/language';
import { Page } from '../shell/page';

export default function HandlersPage() {
  return (
    <Page title={t.pages.handlers}>
      <p class="muted">{t.shell.comingSoon}</p>
    </Page>
  );
}
