/** The pages of the site, by part, in the order in which one reads them. A build fails for a page that is missing here. */
export const PARTS = [
  part('Start', 'start', ['install', 'first-message', 'first-domain', 'console']),
  part('Guides', 'guides', [
    ...['accounts-and-keys', 'lists', 'retries-and-conflicts'],
    ...['handlers', 'messages', 'wake-somebody-up', 'on-call', 'deliveries', 'webhooks', 'message-formats', 'event-handlers'],
    ...['domains', 'domains-with-caddy', 'customer-dns'],
    ...['notifications', 'scheduling-records', 'calendars', 'import-and-export', 'sync-by-events', 'copy-with-curl'],
    ...['typed-client', 'python-and-php', 'testing-with-the-sandbox', 'sandbox-failures', 'sandbox-command'],
  ]),
  part('Reference', 'reference', [
    ...['http/custom-domains', 'http/notification-handlers', 'http/messages', 'http/notifications', 'http/scheduling', 'http/events'],
    ...['http/api-keys', 'http/health', 'errors', 'events', 'metrics', 'configuration', 'command-line', 'versions'],
  ]),
  groups('Operate', 'operate', {
    'Install and run': [
      'release',
      'containers',
      'kubernetes',
      'start-and-stop',
      'mysql',
      'console',
      'sizing',
      'extensions',
      'upgrade',
      'upgrades',
    ],
    'Several machines': [
      'several-machines',
      'galera',
      'galera-restart',
      'haproxy',
      'innodb-cluster',
      'load-balancer',
      'idle-connections',
      'switchovers',
    ],
    'Backups and moves': ['backup-sqlite', 'restore-sqlite', 'backup-mysql', 'restore-mysql', 'restore', 'moving', 'staging-copy'],
    Deliveries: [
      'mail-and-phone',
      'mail',
      'twilio',
      'receipts',
      'call-keys',
      'refused-sends',
      'deliveries',
      'failing-receivers',
      'backlogs',
      'stop-deliveries',
      'restarts',
    ],
    'Domains and events': [
      'domain-verification',
      'domain-checks-late',
      'verify-by-hand',
      'release-host',
      'edge-machines',
      'edge-one-caddy',
      'edge-nginx',
      'edge-answers',
      'certificate-problems',
      'certificates',
      'events',
      'events-late',
    ],
    'Watch it': ['prometheus', 'metrics', 'alerts', 'logs', 'traces', 'overload', 'database-down'],
    'Secrets and security': [
      'secret-files',
      'secrets',
      'api-keys',
      'audit',
      'delete-account',
      'erasing',
      'retention',
      'security',
      'security-domains',
      'security-events',
      'security-links',
      'security-console',
    ],
  }),
  part('Extend', 'extend', [
    ...[
      'overview',
      'tutorial',
      'tables',
      'forms-and-lists',
      'records',
      'routes',
      'tests',
      'differences-from-nest',
      'differences-at-run-time',
    ],
    ...[
      'typeorm',
      'child-tables',
      'concurrent-writes',
      'sending-messages',
      'error-codes',
      'openapi',
      'uploads',
      'caching',
      'jobs',
      'imports',
      'commands',
      'events',
    ],
    ...['scheduling-collections', 'channels', 'exports'],
  ]),
  part('Internals', 'internals', [
    ...['architecture', 'queue', 'event-log', 'lists', 'benchmarks', 'delivery-benchmark', 'express-prototypes'],
    ...['changing', 'changing-background'],
  ]),
];

function part(title, folder, pages) {
  return { title, pages: pages.map((page) => `${folder}/${page}.md`) };
}

/** With headings between its pages. */
function groups(title, folder, pagesByHeading) {
  const headed = Object.entries(pagesByHeading).map(([heading, pages]) => part(heading, folder, pages));
  return { title, groups: headed, pages: headed.flatMap(({ pages }) => pages) };
}
