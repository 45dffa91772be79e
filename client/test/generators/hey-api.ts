import { domainsCreate, domainsFindPage, messagesCreate, notificationHandlersCreate, notificationHandlersUpdate } from './hey-api-client';
import { formDataBodySerializer } from './hey-api-client/client';
import { client } from './hey-api-client/client.gen';

export async function call(key: string): Promise<number> {
  client.setConfig({ auth: key, throwOnError: true });
  const ids: number[] = [];
  for (const name of ['Pager', 'Desk', 'Off']) {
    const body = { type: 'webhook', name, webhook: 'https://hooks.example.com/1' } as const;
    ids.push((await notificationHandlersCreate<true>({ body })).data.data.id);
  }
  await notificationHandlersUpdate<true>({ path: { notification_handler_id: ids[2] }, body: { is_enabled: '0' } });

  await domainsCreate<true>({ body: { host: 'hey-api.example.com' } });
  const { data: domains } = await domainsFindPage<true>({ query: { is_enabled: 1 } });
  if (domains.data[0].host !== 'hey-api.example.com') throw new Error('There is no domain.');

  const body = { text: 'db-1 is down.', handler_ids: ids.slice(0, 2) };
  const sent = await messagesCreate<true>({ ...formDataBodySerializer, body, headers: { 'Content-Type': null } });
  return sent.data.data.id;
}
