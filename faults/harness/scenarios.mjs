import * as accountsApart from '../scenarios/accounts-apart.mjs';
import * as bodies from '../scenarios/bodies.mjs';
import * as canaries from '../scenarios/canaries.mjs';
import * as cluster from '../scenarios/cluster.mjs';
import * as crowding from '../scenarios/crowding.mjs';
import * as databaseFrozen from '../scenarios/database-frozen.mjs';
import * as databaseKilled from '../scenarios/database-killed.mjs';
import * as deliveriesBacklog from '../scenarios/deliveries-backlog.mjs';
import * as deliveriesBeside from '../scenarios/deliveries-beside.mjs';
import * as deliveriesDatabase from '../scenarios/deliveries-database.mjs';
import * as deliveriesForbidden from '../scenarios/deliveries-forbidden.mjs';
import * as deliveriesHanging from '../scenarios/deliveries-hanging.mjs';
import * as deliveriesInterim from '../scenarios/deliveries-interim.mjs';
import * as deliveriesKilled from '../scenarios/deliveries-killed.mjs';
import * as deliveriesShared from '../scenarios/deliveries-shared.mjs';
import * as diskFull from '../scenarios/disk-full.mjs';
import * as edgeAway from '../scenarios/edge-away.mjs';
import * as edgeChanges from '../scenarios/edge-changes.mjs';
import * as events from '../scenarios/events.mjs';
import * as eventsReplayed from '../scenarios/events-replayed.mjs';
import * as hostile from '../scenarios/hostile.mjs';
import * as injection from '../scenarios/injection.mjs';
import * as logDiskFull from '../scenarios/log-disk-full.mjs';
import * as logUnread from '../scenarios/log-unread.mjs';
import * as longRequests from '../scenarios/long-requests.mjs';
import * as messagesCancelled from '../scenarios/messages-cancelled.mjs';
import * as messagesInSteps from '../scenarios/messages-in-steps.mjs';
import * as million from '../scenarios/million.mjs';
import * as mutatedKeys from '../scenarios/mutated-keys.mjs';
import * as readOnly from '../scenarios/read-only.mjs';
import * as restarts from '../scenarios/restarts.mjs';
import * as rolls from '../scenarios/rolls.mjs';
import * as serviceKilled from '../scenarios/service-killed.mjs';
import * as slowClients from '../scenarios/slow-clients.mjs';
import * as switchover from '../scenarios/switchover.mjs';
import * as totals from '../scenarios/totals.mjs';
import * as upgrade from '../scenarios/upgrade.mjs';
import * as verifications from '../scenarios/verifications.mjs';

/** In order; each has a `name` and a `run` that returns table rows. */
export const SCENARIOS = [
  databaseKilled,
  serviceKilled,
  cluster,
  databaseFrozen,
  restarts,
  rolls,
  upgrade,
  diskFull,
  logDiskFull,
  logUnread,
  readOnly,
  switchover,
  crowding,
  slowClients,
  mutatedKeys,
  accountsApart,
  canaries,
  injection,
  hostile,
  bodies,
  longRequests,
  million,
  deliveriesKilled,
  messagesCancelled,
  messagesInSteps,
  deliveriesDatabase,
  deliveriesShared,
  deliveriesHanging,
  deliveriesBacklog,
  deliveriesBeside,
  deliveriesForbidden,
  totals,
  deliveriesInterim,
  verifications,
  edgeAway,
  edgeChanges,
  events,
  eventsReplayed,
];
