import type { Scope } from '../session/scopes';
import { lazyPage } from './lazy-page';

/** The pages of the menu. Each is a separate chunk, loaded when it is first opened. */
export const PAGES = [
  {
    name: 'overview',
    path: '/',
    scopes: ['domains:read', 'messages:read', 'events:read', 'notification-handlers:read'],
    page: lazyPage(() => import('../overview/overview-page')),
  },
  { name: 'domains', path: '/domains', scopes: ['domains:read'], page: lazyPage(() => import('../domains/domains-page')) },
  {
    name: 'handlers',
    path: '/handlers',
    scopes: ['notification-handlers:read'],
    page: lazyPage(() => import('../handlers/handlers-page')),
  },
  { name: 'messages', path: '/messages', scopes: ['messages:read'], page: lazyPage(() => import('../messages/messages-page')) },
  { name: 'deliveries', path: '/deliveries', scopes: ['messages:read'], page: lazyPage(() => import('../deliveries/deliveries-page')) },
  {
    name: 'notifications',
    path: '/notifications',
    scopes: ['notifications:read'],
    page: lazyPage(() => import('../notifications/notifications-page')),
  },
  { name: 'scheduling', path: '/scheduling', scopes: ['scheduling:read'], page: lazyPage(() => import('../scheduling/scheduling-page')) },
  { name: 'events', path: '/events', scopes: ['events:read'], page: lazyPage(() => import('../events/events-page')) },
  { name: 'keys', path: '/keys', scopes: [], page: lazyPage(() => import('../keys/keys-page')) },
] as const;

export type PageName = (typeof PAGES)[number]['name'];

/** The pages on which a key with these scopes can see anything. */
export function visiblePages(may: (scope: Scope) => boolean) {
  return PAGES.filter(({ scopes }) => scopes.length === 0 || scopes.some(may));
}
