const { setImmediate: nextCycle } = require('node:timers/promises');
const { getMetadataStorage } = require('class-validator');
const { startSandbox } = require('../../../dist/src/programs/sandbox/testing.js');

const COUNT = 5;

/** Prints what outlives stopped sandboxes: how many of them, and how many classes class-validator knows after the first and the last. */
async function main() {
  const sandboxes = [];
  const classes = [];
  for (let count = 0; count < COUNT; count++) {
    sandboxes.push(await startAndStop());
    classes.push(getMetadataStorage().validationMetadatas.size);
  }
  // A WeakRef keeps its target until the end of the event loop's cycle, and finalizers release others.
  for (let count = 0; count < 10; count++) {
    await nextCycle();
    globalThis.gc();
  }
  const alive = sandboxes.filter((sandbox) => sandbox.deref() !== undefined).length;
  console.log(JSON.stringify({ alive, newClasses: classes[COUNT - 1] - classes[0] }));
}

async function startAndStop() {
  const sandbox = await startSandbox();
  await sandbox.stop();
  return new WeakRef(sandbox);
}

void main();
