import { domainsCreate, domainsFindPage, messagesCreate, notificationHandlersCreate, notificationHandlersUpdate } from './orval-client';

export async function call(key: string): Promise<number> {
  const options = { headers: { Authorization: `Bearer ${key}` } };
  const ids: number[] = [];
  for (const name of ['Pager', 'Desk', 'Off']) {
    const created = await notificationHandlersCreate({ type: 'webhook', name, webhook: 'https://hooks.example.com/1' }, options);
    if (created.status !== 201) throw new Error(created.data.errors[0]?.detail);
    ids.push(created.data.data.id);
  }
  const updated = await notificationHandlersUpdate(ids[2], { is_enabled: 0 }, options);
  if (updated.status !== 200) throw new Error('It was not updated.');

  await domainsCreate({ host: 'orval.example.com' }, options);
  const domains = await domainsFindPage({ is_enabled: true }, options);
  if (domains.status !== 200 || domains.data.data[0].host !== 'orval.example.com') throw new Error('There is no domain.');

  const sent = await messagesCreate({ text: 'db-1 is down.', handler_ids: ids.slice(0, 2) }, options);
  if (sent.status !== 201) throw new Error('It was not sent.');
  return sent.data.data.id;
}
