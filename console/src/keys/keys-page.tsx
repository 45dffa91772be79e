import { Route, Switch } from 'wouter-preact';
import { useSession } from '../session/session';
import { NotFound } from '../shell/page';
import { KeyCommands } from './key-commands';
import { KeyCreatePage } from './key-form';
import { KeyList } from './key-list';

export default function KeysPage() {
  const { may } = useSession();
  return (
    <Switch>
      <Route path="/keys">{may('keys:write') ? <KeyList /> : <KeyCommands />}</Route>
      {may('keys:write') && (
        <Route path="/keys/new">
          <KeyCreatePage />
        </Route>
      )}
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
