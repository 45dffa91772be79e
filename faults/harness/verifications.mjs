import { Client, DOMAINS } from './client.mjs';
import { CHECK_MILLISECONDS } from './check-recorder.mjs';
import { none } from './table.mjs';
import { until } from './waiting.mjs';

const [HOUR, DAY] = [3_600_000, 86_400_000];
/** The service's lease, from the claim of a domain. */
const LEASE_MILLISECONDS = 30_000;
const PENDING = { status: 'pending', misses: 0 };
const VERIFIED = { status: 'verified', misses: 0 };
const own = (value) => [value];
const missing = () => 'NXDOMAIN';
const unreachable = () => 'SERVFAIL';

/** Changes by the service's checks: those by requests and commands are audited. */
const CHANGES = 'SELECT host FROM events WHERE host IS NOT NULL AND is_audited = 0';

/** The DNS answer, the stored state before and after the checks, and the number of changes that they log for the edge. */
const KINDS = [
  { answer: own, before: PENDING, after: { ...VERIFIED, problems: [] }, changes: 1 },
  { answer: missing, before: PENDING, after: { ...PENDING, problems: ['txt_missing'] }, changes: 0 },
  { answer: () => ['frontdesk=other'], before: PENDING, after: { ...PENDING, problems: ['txt_differs'] }, changes: 0 },
  { answer: unreachable, before: PENDING, after: { ...PENDING, problems: ['dns_unreachable'] }, changes: 0 },
  { answer: own, before: VERIFIED, after: { ...VERIFIED, problems: [] }, changes: 0 },
  { answer: unreachable, before: VERIFIED, after: { ...VERIFIED, problems: ['dns_unreachable'] }, changes: 0 },
  { answer: missing, before: VERIFIED, after: { ...VERIFIED, misses: 1, problems: ['txt_missing'] }, changes: 0 },
  { answer: missing, before: { ...VERIFIED, misses: 2 }, after: { ...PENDING, problems: ['txt_missing'] }, changes: 1 },
];

const UNCHANGING = KINDS.find(({ answer, before }) => answer === own && before === VERIFIED);

/** Domains of every kind and of several accounts, checked when they are made due. */
export class Verifications {
  /** `{ host, kind }` of each domain; any long slice has all kinds. */
  domains = [];

  constructor(stage) {
    this.stage = stage;
  }

  /** Uses a service without checks. Each host has its own registrable domain, since checks per registrable domain are limited. */
  async create(port, accounts, count, answers) {
    const mark = Date.now();
    const perAccount = Math.ceil(count / accounts.length);
    const create = async ({ name, key }) => {
      const client = new Client(port, key);
      for (let index = 0; index < perAccount; index++) {
        const kind = KINDS[index % KINDS.length];
        const host = `www.${name}-${index}-${mark}.example`;
        const { id } = await send(client, 'POST', DOMAINS, { form: { host } });
        const { records } = await send(client, 'GET', `${DOMAINS}/${id}/verification`);
        answers.set(host, kind.answer(records[0].value));
        this.domains.push({ host, kind });
      }
      client.close();
    };
    await Promise.all(accounts.map(create));
    for (const kind of KINDS) await this.#prepare(kind);
  }

  /** Makes a share of the domains due, spread over some seconds from now. */
  async makeDue(from, to, seconds) {
    const hosts = this.domains.slice(from * this.domains.length, to * this.domains.length).map(({ host }) => host);
    const sql = 'UPDATE domain_verifications SET due = ? + FLOOR(RAND() * ?) WHERE host IN (?)';
    await this.stage.query(sql, [Date.now(), seconds * 1_000, hosts]);
  }

  /** Ends leases of first checks that can no longer be running, instead of waiting 30 s. */
  async endOldLeases() {
    const now = Date.now();
    const leasedBefore = now - 3 * CHECK_MILLISECONDS; // a process may be slow to query
    await this.stage.query('UPDATE domain_verifications SET due = ? WHERE checked IS NULL AND due BETWEEN ? AND ?', [
      ...[now, now, leasedBefore + LEASE_MILLISECONDS],
    ]);
  }

  /** Waits for another check of the domains that checks don't change, after any check still running. */
  async checkAgain(patience) {
    const hosts = this.domains.filter(({ kind }) => kind === UNCHANGING).map(({ host }) => host);
    const begun = Date.now();
    const sql = 'UPDATE domain_verifications SET due = ? + FLOOR(RAND() * ?) WHERE host IN (?)';
    await this.stage.query(sql, [begun + 2 * CHECK_MILLISECONDS, CHECK_MILLISECONDS, hosts]);
    const areChecked = async () => {
      const rows = await this.#read();
      return hosts.every((host) => rows.get(host).checked > begun);
    };
    await until(areChecked, 'One more check', patience);
  }

  async areSettled() {
    const rows = await this.#read();
    return this.domains.every((domain) => isRight(domain, rows));
  }

  /** Table rows: wrong states and changes. */
  async compare() {
    const rows = await this.#read();
    const changes = new Map();
    for (const { host } of await this.stage.query(CHANGES)) changes.set(host, (changes.get(host) ?? 0) + 1);
    const isLost = ({ host, kind: { before, after } }) =>
      before.status === 'verified' && after.status === 'verified' && rows.get(host)?.status !== 'verified';
    const isLeft = ({ host }) => rows.get(host)?.checked == null || rows.get(host).due === null;
    return [
      none('domains in a wrong state', this.domains.filter((domain) => !isRight(domain, rows)).length),
      none('verified domains lost', this.domains.filter(isLost).length),
      none('domains never checked, or never again', this.domains.filter(isLeft).length),
      none(
        'changes lost or doubled for the edge',
        this.domains.filter(({ host, kind }) => (changes.get(host) ?? 0) !== kind.changes).length,
      ),
    ];
  }

  /** Sets the state before the checks; the next check is due in a day. */
  async #prepare(kind) {
    const hosts = this.domains.filter((domain) => domain.kind === kind).map(({ host }) => host);
    const { status, misses } = kind.before;
    const sql = 'UPDATE domain_verifications SET status = ?, misses = ?, last_miss = ?, due = ? WHERE host IN (?)';
    await this.stage.query(sql, [status, misses, misses > 0 ? Date.now() - 2 * HOUR : null, Date.now() + DAY, hosts]);
  }

  async #read() {
    const rows = await this.stage.query('SELECT host, status, misses, problems, checked, due FROM domain_verifications');
    return new Map(rows.map((row) => [row.host, row]));
  }
}

function isRight({ host, kind: { after } }, rows) {
  const row = rows.get(host);
  const codes = row && JSON.parse(row.problems).map(({ code }) => code);
  return row?.checked != null && row.status === after.status && row.misses === after.misses && String(codes) === String(after.problems);
}

/** @throws Error unless it succeeds */
async function send(client, method, path, request) {
  const { status, text, failure } = await client.send(method, path, request);
  if (status >= 300 || failure) throw new Error(`${method} ${path} responded with ${status ?? failure}: ${text}`);
  return JSON.parse(text).data;
}
