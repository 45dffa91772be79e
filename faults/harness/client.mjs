import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

export const DOMAINS = '/api/domains';
export const HANDLERS = '/api/notification-handlers';

/** One connection to the service, reopened if the last response closed it. */
export class Client {
  constructor(port, key, { timeout = 60_000 } = {}) {
    this.port = port;
    this.key = key;
    this.timeout = timeout;
    this.agent = new Agent({ keepAlive: true, maxSockets: 1 });
  }

  /**
   * Returns the response and `milliseconds`, or `failure`, an error code, if there is no response; never throws.
   * A request without a response may have been carried out, unless its connection was refused.
   */
  async send(method, path, { form, headers = {} } = {}) {
    const begun = performance.now();
    const body = form && new URLSearchParams(form).toString();
    const answer = await this.#exchange(method, path, body, {
      ...(this.key && { Authorization: `Bearer ${this.key}` }),
      ...(body !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': Buffer.byteLength(body) }),
      ...headers,
    }).catch(({ code, message }) => ({ failure: code ?? message, isRefused: code === 'ECONNREFUSED' }));
    return { ...answer, begun, milliseconds: performance.now() - begun };
  }

  close() {
    this.agent.destroy();
  }

  #exchange(method, path, body, headers) {
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: this.port, agent: this.agent, method, path, headers }, (response) => {
        text(response).then((content) => resolve({ status: response.statusCode, head: response.rawHeaders, text: content }), reject);
      });
      sent.setTimeout(this.timeout, () => sent.destroy(Object.assign(new Error('no answer'), { code: 'TIMEOUT' })));
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

/** Every record of a list. @throws Error if a page can't be read */
export async function readAll(client, path) {
  const records = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { status, text: body, failure } = await client.send('GET', `${path}?page=${page}&results_per_page=1000`);
    if (status !== 200) throw new Error(`${path} responded with ${status ?? failure}.`);
    const { data, meta } = JSON.parse(body);
    records.push(...data);
    pages = meta.total_pages;
  }
  return records;
}
