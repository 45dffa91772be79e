import type { Api } from '../api/api';
import { createSemaphore } from '../api/semaphore';
import type { Scope } from '../session/scopes';

interface RecordSource {
  path: string;
  scope: Scope;
  /** Reads the record's name; undefined for records known only by their id. */
  read?: (api: Api, id: number) => Promise<string>;
}

const MAX_NAME_LENGTH = 80;

/** Records that have a page, by the noun in their event types. */
export const RECORD_SOURCES: Readonly<Record<string, RecordSource>> = {
  domain: {
    path: '/domains',
    scope: 'domains:read',
    read: async (api, domain_id) => (await api.get('/api/domains/{domain_id}', { path: { domain_id } })).data.host,
  },
  notification_handler: {
    path: '/handlers',
    scope: 'notification-handlers:read',
    read: async (api, id) =>
      (await api.get('/api/notification-handlers/{notification_handler_id}', { path: { notification_handler_id: id } })).data.name,
  },
  message: {
    path: '/messages',
    scope: 'messages:read',
    read: async (api, message_id) => messageName((await api.get('/api/messages/{message_id}', { path: { message_id } })).data),
  },
  delivery: { path: '/deliveries', scope: 'messages:read' },
};

const CACHE_MS = 60_000;
type Names = Map<string, { name: Promise<string | undefined>; until: number }>;
const names = new WeakMap<Api, Names>();
const limit = createSemaphore(4);

/** The name of a record, read at most once a minute; undefined if the record no longer exists. */
export function readName(api: Api, type: string, id: number): Promise<string | undefined> {
  const known = names.get(api) ?? new Map();
  names.set(api, known);
  const found = known.get(`${type} ${id}`);
  if (found && found.until > Date.now()) return found.name;
  const read = RECORD_SOURCES[type]?.read;
  const name = read ? limit(() => read(api, id)).catch(() => undefined) : Promise.resolve(undefined);
  known.set(`${type} ${id}`, { name, until: Date.now() + CACHE_MS });
  return name;
}

/** The title, or the beginning of the text. */
export function messageName({ title, text }: { title: string; text: string }): string {
  const name = title || (text.trim().split('\n')[0] ?? '');
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH - 1).trimEnd()}…` : name;
}
