import { Route, Switch } from 'wouter-preact';
import { NotFound } from '../shell/page';
import { MessageCreatePage } from './message-form';
import { MessageList } from './message-list';
import { MessagePage } from './message-page';
import '../styles/messages.css';

export default function MessagesPage() {
  return (
    <Switch>
      <Route path="/messages">
        <MessageList />
      </Route>
      <Route path="/messages/new">
        <MessageCreatePage />
      </Route>
      <Route path="/messages/:id">{({ id }) => <MessagePage key={id} id={Number(id)} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
