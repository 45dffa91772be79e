import { t } from '../language/language';
import { Page } from '../shell/page';

export default function MessagesPage() {
  return (
    <Page title={t.pages.messages}>
      <p class="muted">{t.shell.comingSoon}</p>
    </Page>
  );
}
