// Loaded into a service: on SIGUSR2, writes down what memory is in use once nothing is left for the garbage collection.
// The size of the process tells little: it grows with how fast garbage comes, and long after the last that is kept.
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
