import { createRequire } from 'node:module';
import { built } from '../../bench/harness/paths.mjs';

// The service's own queue, without HTTP and without a worker.
const SLOTS = 32;
const require = createRequire(import.meta.url);
const { env, cycles } = JSON.parse(process.argv[2]);
Object.assign(process.env, env, { DELIVERY_CONCURRENCY: '0' });
require('reflect-metadata');
const { NestFactory } = require('@nestjs/core');
const { AppModule } = require(built('app.module.js'));
const { readConfig } = require(built('platform/config/read-config.js'));
const { Extensions } = require(built('platform/extensions/extensions.js'));
const { DeliveryQueue } = require(built('deliveries/queue/delivery-queue.js'));
const { Slots } = require(built('deliveries/queue/slots.js'));
const app = await NestFactory.createApplicationContext(AppModule.forRoot(readConfig(), new Extensions()), {
  logger: false,
  abortOnError: false,
});
const queue = app.get(DeliveryQueue);
const slots = new Slots(SLOTS);
let settlements = [];

process.on('message', async () => process.send(await takeCycles()));
process.send('ready');

/** Runs cycles that settle the last cycle's deliveries as delivered, and claim the next: `{ milliseconds, claims }` per cycle. */
async function takeCycles() {
  const figures = [];
  for (let cycle = 0; cycle < cycles; cycle++) {
    const begun = performance.now();
    const claims = await queue.cycle(settlements, slots);
    figures.push({ milliseconds: performance.now() - begun, claims: claims.length });
    settlements = claims.map((claim) => ({ claim, ending: delivered() }));
  }
  return figures;
}

function delivered() {
  const verdict = { outcome: 'delivered', isFinal: true, status: 200, detail: 'The receiver accepted it.' };
  return { verdict, durationMs: 5, time: Date.now() };
}
