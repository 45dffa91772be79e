import { Route, Switch } from 'wouter-preact';
import '../styles/notifications.css';
import { NotFound } from '../shell/page';
import { NotificationList } from './notification-list';
import { NotificationPage } from './notification-page';

export default function NotificationsPage() {
  return (
    <Switch>
      <Route path="/notifications">
        <NotificationList />
      </Route>
      <Route path="/notifications/:id">{({ id }) => <NotificationPage key={id} id={Number(id)} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
