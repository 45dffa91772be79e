// Preloaded into a service: on SIGUSR2, writes the longest time in milliseconds that the event loop was blocked since the last signal.
const { writeFileSync } = require('node:fs');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { isMainThread } = require('node:worker_threads');

const RESOLUTION = 1;

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  process.on('SIGUSR2', () => {
    writeFileSync(process.env.EVENT_LOOP_FILE, String(Math.max(0, delay.max / 1e6 - RESOLUTION)));
    delay.reset();
  });
}
