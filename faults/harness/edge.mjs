import { request } from 'node:http';
import { Client, DOMAINS } from './client.mjs';

export const INDEX_URL = 'https://shop.example.org/welcome';

/** A change that only the edge reads. */
const LOG = `INSERT INTO events (datetime, account_id, action, record, is_audited, is_by_service, host) VALUES (?, 0, '', 'domain', 0, 1, ?)`;

/** Creates verified domains with an index URL. */
export async function createLive(stage, service, { key }, hosts) {
  const client = new Client(service.port, key);
  const domains = [];
  for (const host of hosts) {
    const { status, text } = await client.send('POST', DOMAINS, { form: { host, custom_index_url: INDEX_URL } });
    if (status !== 201) throw new Error(`Creating a domain failed with ${status}: ${text}`);
    const { id } = JSON.parse(text).data;
    await client.send('GET', `${DOMAINS}/${id}/verification`); // creates the row, unless it is there already
    await stage.query("UPDATE domain_verifications SET status = 'verified' WHERE domain_id = ?", [id]);
    await stage.query(LOG, [new Date().toISOString().slice(0, 19).replace('T', ' '), host]);
    domains.push({ id, host });
  }
  client.close();
  return domains;
}

export async function hostsInMemory(metricsPort) {
  const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((answer) => answer.text());
  return Number(/^frontdesk_edge_hosts (\d+)/m.exec(metrics)?.[1] ?? 0);
}

/** Where a host redirects, or another status, on a new connection: any worker may accept it. */
export function locationOf(port, host) {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, agent: false, headers: { Host: host } }, (response) => {
      response.resume();
      resolve(response.statusCode === 302 ? response.headers.location : response.statusCode);
    });
    sent.on('error', ({ code }) => resolve(code)).end();
  });
}
