import { useState } from 'preact/hooks';
import { t } from '../language/language';
import { useSession } from '../session/session';
import { Page } from '../shell/page';
import '../styles/events.css';
import '../styles/overview.css';
import { Charts } from './charts';
import { LastEvents } from './last-events';
import { Needs } from './needs';

/** Shows the parts that the key has scopes for. Hides the others until `Needs`, whose height is unknown, is loaded, so that nothing moves. */
export default function OverviewPage() {
  const { may } = useSession();
  const [isRead, setRead] = useState(false);
  return (
    <Page title={t.pages.overview}>
      <Needs onRead={() => setRead(true)} />
      <div class="overview-rest" hidden={!isRead}>
        {may('messages:read') && <Charts />}
        {may('events:read') && <LastEvents />}
      </div>
    </Page>
  );
}
