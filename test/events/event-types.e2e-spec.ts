/** @mysql whole */
import { Message } from '../../src/messages/message.entity';
import { Delivery } from '../../src/deliveries/delivery.entity';
import { Domain } from '../../src/domains/domain.entity';
import { NotificationHandler } from '../../src/notification-handlers/notification-handler.entity';
import { useApplication } from '../support/http/application';
import { expectErrors } from '../support/http/errors';
import { DOMAINS, newHost } from '../support/areas/records';

// Before the application starts, as if the classes had been renamed.
for (const entity of [Domain, NotificationHandler, Message, Delivery]) Object.defineProperty(entity, 'name', { value: 'Renamed' });

const { application } = useApplication();

const TYPES = [
  'delivery.cancelled',
  'delivery.delivered',
  'delivery.failed',
  'delivery.receipt',
  'delivery.retried',
  'domain.certificate',
  'domain.created',
  'domain.deleted',
  'domain.failed',
  'domain.unverified',
  'domain.updated',
  'domain.verified',
  'import.completed',
  'key.created',
  'key.revoked',
  'message.acknowledged',
  'message.cancelled',
  'message.created',
  'notification_handler.created',
  'notification_handler.deleted',
  'notification_handler.updated',
];

test('event types do not depend on class names', async () => {
  const { client } = await application().createAccount();
  const refused = await client.get('/api/events?types=unknown.*');
  expectErrors(refused, {
    code: 'invalid_parameter',
    source: 'query.types',
    detail: `types must be of these, or <noun>.* for all of one: ${TYPES.join(', ')}.`,
  });
  await client.create(DOMAINS, { host: newHost() });
  const page = await client.get('/api/events').expect(200);
  expect(page.body).toMatchObject({ data: [{ type: 'domain.created', record: { type: 'domain' } }] });
});
