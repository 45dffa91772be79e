import '../styles/deliveries.css';
import { Route, Switch } from 'wouter-preact';
import { NotFound } from '../shell/page';
import { DeliveryList } from './delivery-list';
import { DeliveryPage } from './delivery-page';

export default function DeliveriesPage() {
  return (
    <Switch>
      <Route path="/deliveries">
        <DeliveryList />
      </Route>
      <Route path="/deliveries/:id">{({ id }) => <DeliveryPage key={id} id={Number(id)} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
