import { Route, Switch } from 'wouter-preact';
import { NotFound } from '../shell/page';
import { DomainCreatePage, DomainEditPage } from './domain-form';
import { DomainPage } from './domain-page';
import { DomainList } from './domain-list';

export default function DomainsPage() {
  return (
    <Switch>
      <Route path="/domains">
        <DomainList />
      </Route>
      <Route path="/domains/new">
        <DomainCreatePage />
      </Route>
      <Route path="/domains/:id/edit">{({ id }) => <DomainEditPage key={id} id={Number(id)} />}</Route>
      <Route path="/domains/:id">{({ id }) => <DomainPage key={id} id={Number(id)} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
