import { t } from '../language/language';
import { useSession } from '../session/session';
import { Page } from '../shell/page';
import '../styles/events.css';
import '../styles/overview.css';
import { Charts } from './charts';
import { LastEvents } from './last-events';
import { Needs } from './needs';

/** Each part where the key has the scope for it. */
export default function OverviewPage() {
  const { may } = useSession();
  return (
    <Page title={t.pages.overview}>
      <Needs />
      {may('messages:read') && <Charts />}
      {may('events:read') && <LastEvents />}
    </Page>
  );
}
