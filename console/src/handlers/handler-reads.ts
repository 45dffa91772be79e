import type { Api } from '../api/api';

export async function readHandler(api: Api, notification_handler_id: number, signal: AbortSignal) {
  const { data, etag } = await api.get('/api/notification-handlers/{notification_handler_id}', {
    path: { notification_handler_id },
    signal,
  });
  return { handler: data, etag: etag ?? undefined };
}

export async function readEventTypes(api: Api, notification_handler_id: number, signal: AbortSignal): Promise<string[]> {
  const { data } = await api.get('/api/notification-handlers/{notification_handler_id}/events', {
    path: { notification_handler_id },
    signal,
  });
  return data.types;
}

/** The replay in progress, or null. */
export async function readReplay(api: Api, notification_handler_id: number, signal: AbortSignal) {
  const { data } = await api.get('/api/notification-handlers/{notification_handler_id}/replay', {
    path: { notification_handler_id },
    signal,
  });
  return data;
}
