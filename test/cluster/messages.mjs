import { compareArrivals } from '../../faults/harness/arrivals.mjs';
import { Cancellations } from '../../faults/harness/cancellations.mjs';
import { createWebhooks } from '../../faults/harness/deliveries.mjs';
import { Escalations } from '../../faults/harness/escalations.mjs';
import { startReceiver } from '../../faults/harness/receiver.mjs';
import { Senders } from '../../faults/harness/senders.mjs';
import { until } from '../../faults/harness/waiting.mjs';

const DATABASE = 'frontdesk';
const SENDERS = 2;
const CANCELLERS = 4;
const PAUSE_MILLISECONDS = 50;
const URLS = Array.from({ length: 20 }, (_, index) => `/mixed/2000/${index}`);
const CANCELLED_URLS = ['/fast/-/0', '/fast/-/1'];
const STEP_URLS = ['/fast/-/first', '/fast/-/second', '/fast/-/third', '/gone/-/gone'];
const FIND_PENDING = 'SET STATEMENT wsrep_sync_wait = 1 FOR SELECT lane FROM delivery_lanes WHERE available IS NOT NULL LIMIT 1';

/** Messages that the services deliver to receivers here while nodes fail, some cancelled, some repeated under one key, some in steps. */
export class Messages {
  #receivers;
  #senders;
  #cancellations;
  #escalations;
  #paths;

  constructor(receivers, senders, cancellations, escalations, paths) {
    this.#receivers = receivers;
    this.#senders = senders;
    this.#cancellations = cancellations;
    this.#escalations = escalations;
    this.#paths = paths;
  }

  /** Begins to send through the services on these ports. */
  static async send(ports, key) {
    const [receiver, ofCancelled, ofSteps] = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
    const urls = [
      ...URLS.map((path) => receiver.url(path)),
      ...CANCELLED_URLS.map((path) => ofCancelled.url(path)),
      ...STEP_URLS.map((path) => ofSteps.url(path)),
    ];
    const all = await createWebhooks(ports[0], { key }, urls);
    const [handlers, ofSteppedMessages] = [all.slice(0, URLS.length), all.slice(-STEP_URLS.length)];
    const others = all.slice(URLS.length, -STEP_URLS.length);
    const senders = new Senders(ports, key, { count: SENDERS, handlers, pause: PAUSE_MILLISECONDS });
    const cancellations = new Cancellations(ports, key, { count: CANCELLERS, handlers: others });
    const escalations = new Escalations(ports, key, { count: CANCELLERS, handlers: ofSteppedMessages });
    const paths = new Map([
      ...handlers.map((handler, index) => [handler, URLS[index]]),
      ...ofSteppedMessages.map((handler, index) => [handler, STEP_URLS[index]]),
    ]);
    return new Messages([receiver, ofCancelled, ofSteps], senders, cancellations, escalations, paths);
  }

  /** Waits until everything is delivered, and returns table rows that compare what arrived with what was acknowledged. */
  async finish(node) {
    await Promise.all([this.#senders.end(), this.#cancellations.end(), this.#escalations.end()]);
    await until(async () => (await node.query(FIND_PENDING, DATABASE)).length === 0, 'The last delivery');
    const [arrivals, ofCancelled, ofSteps] = await Promise.all(this.#receivers.map((receiver) => receiver.arrivals()));
    for (const receiver of this.#receivers) receiver.end();
    const where = 'by two processes';
    const query = (sql) => node.query(sql, DATABASE);
    return [
      ...compareArrivals({ acknowledged: this.#senders.acknowledged, arrivals, paths: this.#paths, where }),
      ...(await this.#cancellations.compare(ofCancelled, query, where)),
      ...(await this.#escalations.compare(ofSteps, query, where)),
      ...compareArrivals({ acknowledged: this.#escalations.expected, arrivals: ofSteps, paths: this.#paths, where: `in steps, ${where}` }),
    ];
  }
}
