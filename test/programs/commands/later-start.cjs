const { start } = require('../../../dist/src/programs/server/start.js');

const { now } = Date;
const ahead = Number(process.env.CLOCK_AHEAD_MS);

/** The service on a clock that goes ahead, so that hours have passed since another process worked on the same records. */
Date.now = () => now() + ahead;
void start();
