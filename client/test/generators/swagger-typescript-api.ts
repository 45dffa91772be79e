import { Api, ContentType } from './swagger-typescript-api-client';

export async function call(key: string): Promise<number> {
  const { api } = new Api({ securityWorker: () => ({ headers: { Authorization: `Bearer ${key}` } }) });
  const type = ContentType.UrlEncoded;
  const ids: number[] = [];
  for (const name of ['Pager', 'Desk', 'Off']) {
    const handler = { type: 'webhook', name, webhook: 'https://hooks.example.com/1' } as const;
    ids.push((await api.notificationHandlersCreate(handler, { type })).data.data.id);
  }
  await api.notificationHandlersUpdate(ids[2], { is_enabled: false }, { type });

  await api.domainsCreate({ host: 'swagger-typescript-api.example.com' }, { type });
  const { data: domains } = await api.domainsFindPage({ is_enabled: true });
  if (domains.data[0].host !== 'swagger-typescript-api.example.com') throw new Error('There is no domain.');

  const sent = await api.messagesCreate({ text: 'db-1 is down.', handler_ids: ids.slice(0, 2) }, { type });
  return sent.data.data.id;
}
