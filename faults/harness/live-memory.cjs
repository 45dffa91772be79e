// Preloaded into a service: on SIGUSR2, writes the memory in use after a garbage collection.
// The process size says little: it depends on the allocation rate, and stays high long after a peak.
const { writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(process.env.LIVE_MEMORY_FILE, String(heapUsed + external));
});
