import { compareArrivals } from '../../faults/harness/arrivals.mjs';
import { createWebhooks } from '../../faults/harness/deliveries.mjs';
import { startReceiver } from '../../faults/harness/receiver.mjs';
import { Senders } from '../../faults/harness/senders.mjs';
import { until } from '../../faults/harness/waiting.mjs';

const DATABASE = 'frontdesk';
const SENDERS = 2;
const PAUSE_MILLISECONDS = 50;
const URLS = Array.from({ length: 20 }, (_, index) => `/mixed/2000/${index}`);
const FIND_PENDING = 'SET STATEMENT wsrep_sync_wait = 1 FOR SELECT lane FROM delivery_lanes WHERE available IS NOT NULL LIMIT 1';

/** Messages that the services deliver to a receiver here while nodes fail. */
export class Messages {
  #receiver;
  #senders;
  #paths;

  constructor(receiver, senders, paths) {
    this.#receiver = receiver;
    this.#senders = senders;
    this.#paths = paths;
  }

  /** Begins to send through the services on these ports. */
  static async send(ports, key) {
    const receiver = await startReceiver();
    const urls = URLS.map((path) => receiver.url(path));
    const handlers = await createWebhooks(ports[0], { key }, urls);
    const senders = new Senders(ports, key, { count: SENDERS, handlers, pause: PAUSE_MILLISECONDS });
    return new Messages(receiver, senders, new Map(handlers.map((handler, index) => [handler, URLS[index]])));
  }

  /** Waits until everything is delivered, and returns table rows that compare what arrived with what was acknowledged. */
  async finish(node) {
    await this.#senders.end();
    await until(async () => (await node.query(FIND_PENDING, DATABASE)).length === 0, 'The last delivery');
    const arrivals = await this.#receiver.arrivals();
    this.#receiver.end();
    return compareArrivals({ acknowledged: this.#senders.acknowledged, arrivals, paths: this.#paths, where: 'by two processes' });
  }
}
