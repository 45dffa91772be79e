import { Route, Switch } from 'wouter-preact';
import { NotFound } from '../shell/page';
import { HandlerEventsPage } from './handler-events';
import { HandlerReplayPage } from './handler-replay';
import { HandlerCreatePage, HandlerEditPage } from './handler-form';
import { HandlerList } from './handler-list';
import { HandlerPage } from './handler-page';
import '../styles/handlers.css';

export default function HandlersPage() {
  return (
    <Switch>
      <Route path="/handlers">
        <HandlerList />
      </Route>
      <Route path="/handlers/new">
        <HandlerCreatePage />
      </Route>
      <Route path="/handlers/:id/edit">{({ id }) => <HandlerEditPage key={id} id={Number(id)} />}</Route>
      <Route path="/handlers/:id/events">{({ id }) => <HandlerEventsPage key={id} id={Number(id)} />}</Route>
      <Route path="/handlers/:id/replay">{({ id }) => <HandlerReplayPage key={id} id={Number(id)} />}</Route>
      <Route path="/handlers/:id">{({ id }) => <HandlerPage key={id} id={Number(id)} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
