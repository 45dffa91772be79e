// Preloaded into a server: SIGUSR2 starts a CPU profile, the next one writes it to BENCH_PROFILE.
const { writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');

const INTERVAL_MICROSECONDS = 200;
const session = new Session();
let isRunning = false;

session.connect();
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROSECONDS });
process.on('SIGUSR2', () => {
  isRunning = !isRunning;
  if (isRunning) return session.post('Profiler.start');
  return session.post('Profiler.stop', (_error, { profile }) => writeFileSync(process.env.BENCH_PROFILE, JSON.stringify(profile)));
});
