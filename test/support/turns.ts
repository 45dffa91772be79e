import { DeliveryWorker } from '../../src/deliveries/sending/delivery-worker';
import type { TestApplication } from './application';

/** Waits for a turn of the delivery worker that begins after the call: what is due has then been claimed, which `attempts` counts. */
export async function takeTurn({ app }: TestApplication): Promise<void> {
  const worker = app.get(DeliveryWorker);
  const isCycling = worker.loop.state === 'cycling';
  worker.loop.wake();
  await worker.loop.cycled();
  if (isCycling) await worker.loop.cycled();
}
