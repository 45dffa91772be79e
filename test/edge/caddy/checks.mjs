import assert from 'node:assert/strict';
import { until } from '../../../faults/harness/waiting.mjs';
import { isPermitting } from './caddy.mjs';
import { ask, visit, visitPlainly } from './visitor.mjs';

const SHOP = 'www.shop.example.com';
const APEX = 'bakery.example.org';
const CAFE = 'www.cafe.example.org';
const UNKNOWN = 'stranger.example.com';
const INDEX = 'https://pages.example.net/shop?from=domain';
const NOT_FOUND = 'https://pages.example.net/lost';
/** How Caddy refuses a handshake for which it has no certificate. */
const NO_CERTIFICATE = /alert internal error/;

/** Later Caddys ask before they load a certificate that they have in storage. */
const ASKS_BEFORE_LOADING = isPermitting();

/** In this order: each continues where the one before ended. */
export const CHECKS = {
  'an unverified host gets no certificate, and nobody orders one': async (stage) => {
    stage.shop = await stage.desk.create({ host: SHOP, custom_index_url: INDEX, custom_not_found_url: NOT_FOUND });
    assert.equal((await stage.desk.verification(stage.shop)).status, 'pending');
    stage.names.set({ type: 'CNAME', name: SHOP, value: stage.target });
    const { status, problems } = await stage.desk.verify(stage.shop);
    assert.deepEqual([status, problems.map(({ code }) => code)], ['pending', ['txt_missing']]);
    await refuseAll(stage, SHOP, UNKNOWN);
  },

  'its records, set as shown, verify it': async ({ desk, names, shop }) => {
    const { records } = await desk.verification(shop);
    names.set(...records.filter(({ type }) => type === 'TXT'));
    const { status, problems } = await desk.verify(shop);
    assert.deepEqual({ status, problems }, { status: 'verified', problems: [] });
    await until(async () => (await ask(desk.edgePort, SHOP)) === 200, 'The yes to the proxy');
  },

  'the first request over TLS gets a certificate of the host, and the redirect': async (stage) => {
    const { status, headers, names } = await visit(stage.caddy, stage.authority.root, SHOP);
    assert.deepEqual([status, headers.location, names], [302, INDEX, `DNS:${SHOP}`]);
    assert.ok(stage.authority.hasHeardOf(SHOP));
    assert.equal(stage.authority.orders, 1);
  },

  'the check reads that certificate, and that a second address of the edge has none': async ({ authority, desk, names, shop, target }) => {
    const { problems, certificate } = await desk.verify(shop);
    assert.deepEqual(problems, []);
    assert.match(certificate.issuer, /^Pebble Intermediate/);
    names.set({ type: 'A', name: target, value: '127.0.0.9' });
    const { status, problems: found } = await desk.verify(shop);
    assert.deepEqual([status, found.map(({ code }) => code)], ['verified', ['certificate_missing']]);
    names.forget(target);
    names.set({ type: 'A', name: target, value: '127.0.0.1' });
    assert.equal(authority.orders, 1);
  },

  'other paths lead to the page for them, the question of the proxy included': async ({ caddy, authority }) => {
    for (const path of ['/elsewhere?page=2', `/.frontdesk/ask?domain=${SHOP}`]) {
      const { status, headers } = await visit(caddy, authority.root, SHOP, path);
      assert.deepEqual([path, status, headers.location], [path, 302, NOT_FOUND]);
    }
    assert.equal(authority.orders, 1);
  },

  'plain HTTP is sent to TLS': async ({ caddy }) => {
    const { status, headers } = await visitPlainly(caddy, SHOP, '/page');
    assert.deepEqual([status, headers.location], [308, `https://${SHOP}/page`]);
  },

  'a disabled domain is a 404 behind its certificate, until it is enabled': async ({ caddy, authority, desk, shop }) => {
    await desk.command('domains', 'disable', String(shop));
    await until(async () => (await ask(desk.edgePort, SHOP)) === 404, 'The no to the proxy');
    const { status, headers } = await visit(caddy, authority.root, SHOP);
    assert.deepEqual([status, headers.location], [404, undefined]);
    await desk.command('domains', 'enable', String(shop));
    await until(async () => (await visit(caddy, authority.root, SHOP)).status === 302, 'The return of the redirect');
    assert.equal(authority.orders, 1);
  },

  'an apex domain works with the addresses of the edge': async ({ caddy, authority, desk, names }) => {
    const id = await desk.create({ host: APEX, custom_index_url: INDEX });
    const { records } = await desk.verification(id);
    names.set({ type: 'A', name: APEX, value: '127.0.0.1' }, ...records.filter(({ type }) => type === 'TXT'));
    const { status, problems } = await desk.verify(id);
    assert.deepEqual({ status, problems }, { status: 'verified', problems: [] });
    await until(async () => (await ask(desk.edgePort, APEX)) === 200, 'The yes to the proxy');
    const page = await visit(caddy, authority.root, APEX);
    assert.deepEqual([page.status, page.headers.location, page.names], [302, INDEX, `DNS:${APEX}`]);
    assert.equal(authority.orders, 2);
  },

  'a second Caddy on the same storage needs no certificate of its own': async (stage) => {
    const second = await stage.startAnother(2);
    const { status, headers, names } = await visit(second, stage.authority.root, SHOP);
    assert.deepEqual([status, headers.location, names], [302, INDEX, `DNS:${SHOP}`]);
    assert.equal(stage.authority.orders, 2);
  },

  'one Caddy before two machines serves and gets certificates while one of them is down': async ({ authority, desk, names, ...stage }) => {
    const id = await desk.create({ host: CAFE, custom_index_url: INDEX });
    const { records } = await desk.verification(id);
    names.set({ type: 'A', name: CAFE, value: '127.0.0.5' }, ...records.filter(({ type }) => type === 'TXT'));
    assert.equal((await desk.verify(id)).status, 'verified');
    await until(async () => (await ask(desk.edgePort, CAFE)) === 200, 'The yes to the proxy');
    const caddy = await stage.startBeforeTwo();
    for (const host of [SHOP, CAFE]) assert.equal((await visit(caddy, authority.root, host)).headers.location, INDEX);
    await refuseAll({ caddy, authority, desk }, UNKNOWN);
    assert.equal(authority.orders, 3);
  },

  'a deleted domain is a 404 behind its certificate': async ({ caddy, authority, desk, shop }) => {
    await desk.delete(shop);
    await until(async () => (await visit(caddy, authority.root, SHOP)).status === 404, 'The end of the redirect');
    assert.equal(await ask(desk.edgePort, SHOP), 404);
  },

  'without the service, known hosts get 502 and new ones no certificate': async ({ caddy, authority, desk, startAnother }) => {
    await desk.service.end('SIGTERM');
    assert.equal((await visit(caddy, authority.root, APEX)).status, 502);
    await assert.rejects(visit(caddy, authority.root, UNKNOWN), NO_CERTIFICATE);
    const started = visit(await startAnother(3), authority.root, APEX);
    if (ASKS_BEFORE_LOADING) await assert.rejects(started, NO_CERTIFICATE);
    else assert.equal((await started).status, 502);
    await desk.service.start();
    await until(async () => (await visit(caddy, authority.root, APEX)).status === 302, 'The return of the redirect');
  },

  'a host that was never verified was never ordered': async (stage) => {
    await refuseAll(stage, UNKNOWN);
    assert.equal(stage.authority.orders, 3);
  },
};

async function refuseAll({ caddy, authority, desk }, ...hosts) {
  const before = authority.orders;
  for (const host of hosts) {
    assert.equal(await ask(desk.edgePort, host), 404);
    await assert.rejects(visit(caddy, authority.root, host), NO_CERTIFICATE);
    assert.ok(!authority.hasHeardOf(host), `The authority has heard of ${host}.`);
  }
  assert.equal(authority.orders, before);
}
