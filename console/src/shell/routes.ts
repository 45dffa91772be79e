import { lazy } from 'preact/compat';
import type { Scope } from '../session/scopes';

/** The pages of the menu. Each is a chunk of its own, loaded when it is first opened. */
export const PAGES = [
  {
    name: 'overview',
    path: '/',
    scopes: ['domains:read', 'messages:read', 'events:read', 'notification-handlers:read'],
    page: lazy(() => import('../overview/overview-page')),
  },
  { name: 'domains', path: '/domains', scopes: ['domains:read'], page: lazy(() => import('../domains/domains-page')) },
  { name: 'handlers', path: '/handlers', scopes: ['notification-handlers:read'], page: lazy(() => import('../handlers/handlers-page')) },
  { name: 'messages', path: '/messages', scopes: ['messages:read'], page: lazy(() => import('../messages/messages-page')) },
  { name: 'deliveries', path: '/deliveries', scopes: ['messages:read'], page: lazy(() => import('../deliveries/deliveries-page')) },
  {
    name: 'notifications',
    path: '/notifications',
    scopes: ['notifications:read'],
    page: lazy(() => import('../notifications/notifications-page')),
  },
  { name: 'scheduling', path: '/scheduling', scopes: ['scheduling:read'], page: lazy(() => import('../scheduling/scheduling-page')) },
  { name: 'events', path: '/events', scopes: ['events:read'], page: lazy(() => import('../events/events-page')) },
  { name: 'keys', path: '/keys', scopes: [], page: lazy(() => import('../keys/keys-page')) },
] as const;

export type PageName = (typeof PAGES)[number]['name'];

/** The pages that a key with these scopes sees something of. */
export function visiblePages(may: (scope: Scope) => boolean) {
  return PAGES.filter(({ scopes }) => scopes.length === 0 || scopes.some(may));
}
