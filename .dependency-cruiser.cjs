// Who may import whom: programs → areas → auth → platform. An area never imports another; the platform knows no area.
// A folder of src that is not named here is an area, so that a new one is held to the rules from its first file.
const COMPOSITION = '^src/programs/|^src/(app\\.module|cli|main|public)\\.ts$';
const BASE = 'platform/(common|config)';
/** Marks a method, and imports nothing: any room may. */
const JOB = '^src/platform/jobs/job\\.decorator\\.ts$';
/** Sends a message: any area may, and nothing else of messages is its business. */
const MESSAGES = '^src/messages/message-sender\\.ts$';
/** What whoever sends many messages has to know of a handler first. */
const LIMITS = '^src/deliveries/queue/delivery-limits\\.ts$';
const SHARED = 'auth|platform/(http|secrets|database|common|config)';
/** What deliveries may know of handlers. */
const TARGETS =
  '^src/notification-handlers/(delivery-targets|enabled-handlers|handler-hooks|notification-handlers\\.module|channel-settings)\\.ts$';
/** What a handler is told of belongs to it. */
const HANDLER = '^src/notification-handlers/notification-handler\\.entity\\.ts$';
/** Guards and their decorators, the OpenAPI document, the end of long polls and of lists, and a form that a signature covers. */
const SPEAKS_HTTP =
  '^src/(auth/(caller|challenges|route-policies)|events/event-(schemas|sources|waits)|scheduling/stream-limiter|deliveries/receipts/twilio-callbacks)\\.ts$';
/** Beside what it tests; no part of the build. */
const SPEC = '\\.spec\\.ts$';

/** Imports an optional peer, and says so when it is missing. */
const OPTIONAL = '^src/programs/sandbox/(start-sandbox|jest-environment)\\.ts$';

/** Started by Node, or imported by extensions and tests. */
const STARTED = '^src/(main|cli|public|platform/database/sqlite/reader-thread|programs/sandbox/(testing|jest-environment))\\.ts$';

/** `from` may import, of this project's own files, only what `allowed` matches. */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from,
  to: { path: '^(src|test|bench|faults)/|^ormconfig\\.ts$', pathNot: `${allowed}|${JOB}` },
});

/** Rooms of the platform: what each may import, besides itself. */
const PLATFORM = {
  config: 'platform/common',
  common: '',
  outbound: BASE,
  extensions: BASE,
  secrets: `platform/database|${BASE}`,
  database: BASE,
  http: `platform/database|${BASE}`,
  observability: SHARED,
  quotas: `platform/observability|${SHARED}`,
  jobs: `platform/observability|${SHARED}`,
};
/** Files of the platform that may import more. */
const EXCEPTIONS = {
  'database/database\\.module': `^src/platform/(database|extensions|common|config)/|^ormconfig\\.ts$`,
  'extensions/extensions?': `^src/platform/(extensions|common|config)/|^src/scheduling/collections/collection\\.ts$`,
};

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(PLATFORM).map(([room, rooms]) =>
      only(
        `${room}-imports`,
        { path: `^src/platform/${room}/`, pathNot: `^src/platform/(${Object.keys(EXCEPTIONS).join('|')})\\.ts$` },
        `^src/(platform/${room}${rooms && `|${rooms}`})/`,
      ),
    ),
    ...Object.entries(EXCEPTIONS).map(([file, allowed]) =>
      only(`${file.replace(/\W+/g, '-')}-imports`, { path: `^src/platform/${file}\\.ts$` }, allowed),
    ),
    only(
      'areas-import-what-is-shared',
      { path: '^src/([^/]+)/', pathNot: '^src/(platform|programs|auth|deliveries|domains|edge|events|messages|scheduling)/' },
      `^src/($1|platform/quotas|${SHARED})/|${MESSAGES}`,
      'Areas never import each other; what two need belongs to the platform. A message is one write of several tables with ' +
        'one owner, so areas send theirs through the one provider that messages export.',
    ),
    only(
      'scheduling-imports-extensions',
      { path: '^src/scheduling/' },
      `^src/(scheduling|platform/extensions|${SHARED})/`,
      'Extensions add collections.',
    ),
    only('auth-imports-the-platform', { path: '^src/auth/' }, `^src/(${SHARED})/`),
    only(
      'domains-import-jobs-and-observability',
      { path: '^src/domains/' },
      `^src/(domains|platform/(jobs|observability|quotas)|${SHARED})/|${MESSAGES}`,
      'Checks are counted.',
    ),
    only(
      'events-import-delivery-targets',
      { path: '^src/events/' },
      `^src/(events|platform/(jobs|observability|quotas)|${SHARED})/|${MESSAGES}|${LIMITS}|${TARGETS}|${HANDLER}`,
      'Events of every area, which handlers are told of; areas know nothing of it.',
    ),
    only(
      'deliveries-import-outbound-and-delivery-targets',
      { path: '^src/deliveries/' },
      `^src/(deliveries|platform/(jobs|outbound|observability|quotas)|${SHARED})/|${TARGETS}`,
      'Deliveries carry out what messages ask for, which they do not know. They see handlers through delivery-targets.ts alone.',
    ),
    only(
      'messages-import-deliveries',
      { path: '^src/messages/' },
      `^src/(messages|deliveries|platform/(jobs|observability|quotas)|${SHARED})/|${TARGETS}`,
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
      `^src/(edge|platform/(jobs|observability|extensions)|${SHARED})/|^src/platform/core\\.module\\.ts$|^src/domains/domain-changes\\.ts$`,
      'The edge sees domains through their changes alone; no area imports the edge.',
    ),
    {
      name: 'records-know-no-large-lists',
      comment:
        'Records ask for a page through Pages, and tell lists what changed: reading one by id must not depend on the memory of lists.',
      severity: 'error',
      from: { path: '^src/platform/database/(records|writes)/' },
      to: { path: '^src/platform/database/lists/', pathNot: '/list-changes\\.ts$' },
    },
    {
      name: 'decorators-know-no-document',
      comment: 'Only what makes the OpenAPI document imports its parts; a DTO declares a union with VariesBy.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/platform/http/openapi/|\\.(openapi|module)\\.ts$|^src/events/event-schemas\\.ts$|^src/programs/',
      },
      to: { path: '^src/platform/http/openapi/', pathNot: '/varies-by\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'services-know-no-http',
      comment: 'They throw RequestError (platform/common/errors.ts); the ErrorFilter gives each a status.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: `^src/(platform|programs|edge)/|${COMPOSITION}|\\.(controller|dto|filter|guard|module|openapi|pipe)\\.ts$|${SPEAKS_HTTP}`,
      },
      to: { path: '^src/platform/http/' },
    },
    only('ormconfig-imports-database', { path: '^ormconfig\\.ts$' }, `^src/platform/(database|extensions|common|config)/`),
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
      from: { pathNot: `\\.module\\.ts$|${SPEC}` },
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
