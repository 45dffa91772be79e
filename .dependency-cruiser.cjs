// Who may import whom: areas → auth, quotas → http, secrets → database → common, config; the composition knows everybody, and nobody knows it.
// A folder of src that is not named here is an area, so that a new one is held to the rules from its first file.
const COMPOSITION = '^src/(bootstrap|commands|demo|sandbox|transfer)/|^src/(app\\.module|areas|cli|main|public|testing)\\.ts$';
const BASE = 'common|config';
/** Marks a method, and imports nothing: any room may. */
const JOB = '^src/jobs/job\\.decorator\\.ts$';
/** Sends a message: any area may, and nothing else of deliveries is its business. */
const MESSAGES = '^src/deliveries/messages/account-messages\\.ts$';
const SHARED = `auth|http|secrets|database|${BASE}`;
/** Neither shared nor an area; each has a rule of its own. */
const OTHERS = 'quotas|jobs|observability|outbound|deliveries|domains|edge|events|extensions';
/** What deliveries may know of handlers. */
const TARGETS = '^src/notification-handlers/(delivery-targets|handler-hooks|notification-handlers\\.module|channel-settings)\\.ts$';
/** What a handler is told of belongs to it. */
const HANDLER = '^src/notification-handlers/notification-handler\\.entity\\.ts$';
/** Beside what it tests; no part of the build. */
const SPEC = '\\.spec\\.ts$';

/** Imports an optional peer, and says so when it is missing. */
const OPTIONAL = '^src/sandbox/(start-sandbox|jest-environment)\\.ts$';

/** Started by Node, or imported by extensions and tests. */
const STARTED = '^src/(main|cli|public|testing|database/sqlite/reader-thread|sandbox/jest-environment)\\.ts$';

/** `from` may import, of this project's own files, only what `allowed` matches. */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from,
  to: { path: '^(src|test|bench|faults)/|^ormconfig\\.ts$', pathNot: `${allowed}|${JOB}` },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    only(
      'areas-import-what-is-shared',
      { path: '^src/([^/]+)/', pathNot: `^src/(${SHARED}|${OTHERS}|bootstrap|commands|demo|sandbox|transfer)/` },
      `^src/($1|quotas|${SHARED})/|${MESSAGES}`,
      'Areas never import each other; what two need belongs to http/, database/ or common/. A message is one write of several tables with ' +
        'one owner, so areas send theirs through the one provider that deliveries export.',
    ),
    only('quotas-import-observability', { path: '^src/quotas/' }, `^src/(quotas|observability|${SHARED})/`),
    only('jobs-import-observability', { path: '^src/jobs/' }, `^src/(jobs|observability|${SHARED})/`),
    only(
      'domains-import-jobs-and-observability',
      { path: '^src/domains/' },
      `^src/(domains|jobs|observability|quotas|${SHARED})/|${MESSAGES}`,
      'Checks are counted.',
    ),
    only(
      'events-import-delivery-targets',
      { path: '^src/events/' },
      `^src/(events|jobs|observability|quotas|extensions|${SHARED})/|${MESSAGES}|${TARGETS}|${HANDLER}`,
      'Events of every area, which handlers are told of; areas know nothing of it.',
    ),
    only('outbound-imports-common-and-config', { path: '^src/outbound/' }, `^src/(outbound|${BASE})/`),
    only(
      'deliveries-import-outbound-and-delivery-targets',
      { path: '^src/deliveries/' },
      `^src/(deliveries|jobs|outbound|observability|quotas|${SHARED})/|${TARGETS}`,
      'Deliveries send through handlers, which they see through delivery-targets.ts alone; areas import account-messages.ts alone.',
    ),
    {
      name: 'deliveries-import-types-of-channels',
      severity: 'error',
      from: { path: '^src/deliveries/' },
      to: { path: '^src/notification-handlers/channel-settings\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    only(
      'edge-imports-live-domains',
      { path: '^src/edge/' },
      `^src/(edge|observability|extensions|${SHARED})/|^src/core\\.module\\.ts$|^src/domains/domain-changes\\.ts$`,
      'The edge sees domains through their changes alone; no area imports the edge.',
    ),
    only(
      'extensions-import-definitions-of-collections',
      { path: '^src/extensions/' },
      `^src/(extensions|${BASE})/|^src/scheduling/collections/collection\\.ts$`,
      'What an extension may consist of.',
    ),
    only('observability-imports-http-and-database', { path: '^src/observability/' }, `^src/(observability|${SHARED})/`),
    only('auth-imports-http-and-database', { path: '^src/auth/' }, `^src/(${SHARED})/`),
    only('secrets-import-database', { path: '^src/secrets/' }, `^src/(secrets|database|${BASE})/`),
    only('http-imports-database', { path: '^src/http/' }, `^src/(http|database|${BASE})/`),
    only(
      'database-imports-common-and-config',
      { path: '^src/database/', pathNot: '^src/database/(database\\.module\\.ts$|migrations/)' },
      `^src/(database|${BASE})/`,
    ),
    only(
      'database-module-imports-ormconfig',
      { path: '^src/database/database\\.module\\.ts$' },
      `^src/(database|extensions|${BASE})/|^ormconfig\\.ts$`,
      'The one file that connects, with the one data source.',
    ),
    only(
      'migrations-import-database',
      { path: '^src/database/migrations/' },
      '^src/database/|^src/common/fold-text\\.ts$',
      'A migration says what the schema was on its day; the entities go on changing. A change of fold() needs a migration.',
    ),
    only('ormconfig-imports-database', { path: '^ormconfig\\.ts$' }, `^src/(database|extensions|${BASE})/`),
    only('config-reads-the-environment-alone', { path: '^src/config/' }, '^src/config/'),
    only('common-imports-nothing', { path: '^src/common/' }, '^src/common/'),
    only('src-without-tests', { path: '^src/', pathNot: SPEC }, '^src/|^ormconfig\\.ts$'),
    {
      name: 'composition-is-the-top',
      comment: 'app.module.ts, application.ts, the commands and their like put the parts together; no part knows them.',
      severity: 'error',
      from: { path: '^src/', pathNot: COMPOSITION },
      to: { path: COMPOSITION },
    },
    {
      name: 'nothing-imports-an-entry',
      severity: 'error',
      from: {},
      to: { path: '^src/(main|cli)\\.ts$' },
    },
    {
      name: 'only-its-module-imports-a-controller',
      severity: 'error',
      from: { pathNot: `^src/[^/]+/[^/]+\\.module\\.ts$|${SPEC}` },
      to: { path: '\\.controller\\.ts$' },
    },
    {
      name: 'no-barrels',
      comment: 'Import from the file that declares a name.',
      severity: 'error',
      from: {},
      to: { path: '^src/.*index\\.ts$' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-dead-files',
      comment: 'Every file of src is reached from one of those that are started or public.',
      severity: 'error',
      from: { path: STARTED },
      to: { path: '^src/', pathNot: `${STARTED}|${SPEC}`, reachable: false },
    },
    {
      name: 'only-declared-packages',
      comment: 'What src imports stands under dependencies in package.json: the production install has nothing else.',
      severity: 'error',
      from: { path: '^src/|^ormconfig\\.ts$', pathNot: `${SPEC}|${OPTIONAL}` },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  },
};
