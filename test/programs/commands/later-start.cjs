const { start } = require('../../../dist/src/programs/server/start.js');

const { now } = Date;
const ahead = Number(process.env.CLOCK_AHEAD_MS);

/** The service on a clock that is ahead, as if hours had passed since another process used the same records. */
Date.now = () => now() + ahead;
void start();
