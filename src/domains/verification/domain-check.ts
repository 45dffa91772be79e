import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Clock } from '../../platform/common/clock';
import { Network } from '../../platform/common/network';
import { Config } from '../../platform/config/config';
import { type Actor, byService } from '../../platform/database/events/event-log';
import { WriteExecutor } from '../../platform/database/writes/transactions';
import { Metrics } from '../../platform/observability/metrics';
import { CertificateCheck } from './certificate-check';
import { DnsQueries } from './dns/dns-queries';
import { txtProblem, targetProblems, unreachableProblem } from './dns/problems';
import { registrableDomain } from './dns/registrable-domain';
import { findTarget, resolveAddresses } from './dns/target';
import type { DomainVerification, Problem } from './domain-verification.entity';
import type { VerificationStatus } from './verification-status';
import { txtRecord } from './verification.dto';
import { type CheckFinding, stateAfter, type TxtFinding } from './verification-state';
import { VerificationTable } from './verification-table';
import { VerificationTokens } from './verification-tokens';

interface CheckedDomain extends Pick<DomainVerification, 'id' | 'account_id' | 'host'> {
  state: { status: VerificationStatus };
}

interface CheckOptions {
  /** Who asked for the check; by default, the service. */
  by?: Actor;
  lease?: number;
}

/** Deadline for a whole check, and the minimum time for its handshake. */
const [CHECK_TIMEOUT_MS, MIN_HANDSHAKE_MS] = [5_000, 500];

/** Checks hosts in DNS, and their certificates, and writes the results. */
@Injectable()
export class DomainCheck {
  private readonly checks?: Counter<'result'>;

  constructor(
    private readonly config: Config,
    private readonly network: Network,
    private readonly tokens: VerificationTokens,
    private readonly certificates: CertificateCheck,
    private readonly table: VerificationTable,
    private readonly executor: WriteExecutor,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.checks = metrics.counter('frontdesk_domain_checks_total', 'Domain DNS checks, by result.', ['result']);
  }

  /**
   * Checks a host in DNS and writes the result. `lease` is the end of the caller's lease: nothing is written if `due` has another value.
   * Undefined if nothing was written: the lease is lost, or the domain has another host or is deleted.
   */
  async run(
    { id, account_id, host, state }: CheckedDomain,
    { by = byService(account_id), lease }: CheckOptions,
  ): Promise<DomainVerification | undefined> {
    const found = await this.lookUp(account_id, host, state.status === 'verified');
    return this.executor.run(async (statements) => {
      const verification = await this.table.lock(statements, { id });
      if (!verification || (lease !== undefined && verification.state.due !== lease)) return undefined;
      const after = stateAfter(verification.state, found, this.clock.now(), lease === undefined);
      return this.table.update(statements, verification, after, by);
    });
  }

  /** Queries DNS for at most 4.5 s, even if no server answers, and reads the certificate of a verified host until the deadline. */
  private async lookUp(accountId: number, host: string, isVerified: boolean): Promise<CheckFinding> {
    const started = this.clock.monotonic();
    const { name, value } = txtRecord(host, await this.tokens.tokenOf(accountId, host));
    const { target } = this.config.edge;
    const queries = new DnsQueries(this.network, this.config.outbound.dnsServers);
    try {
      const [{ txt, problems }, finding] = await Promise.all([
        findTxt(queries, await registrableDomain(host), name, value),
        target && findTarget(queries, host, target),
      ]);
      this.checks?.inc({ result: txt });
      const all = [...problems, ...(target && finding ? targetProblems(host, target, finding, txt === 'found') : [])];
      if (finding !== 'right' || (txt !== 'found' && !isVerified)) return { txt, problems: all };
      const { values: addresses, isComplete } = await resolveAddresses(queries, host);
      if (!(await this.table.isEnabled(host))) return { txt, problems: all }; // visitors get a 404 in any case, so its certificate doesn't matter
      if (addresses.length === 0 && !isComplete) return { txt, problems: all, tls: 'unknown' };
      if (!isVerified) return { txt, problems: all, tls: this.certificates.mayRun(addresses) ? 'later' : undefined };
      const left = Math.max(MIN_HANDSHAKE_MS, CHECK_TIMEOUT_MS - (this.clock.monotonic() - started));
      return { txt, problems: all, tls: await this.certificates.run(host, addresses, left) };
    } finally {
      queries.end();
    }
  }
}

async function findTxt(
  queries: DnsQueries,
  domain: string,
  name: string,
  expected: string,
): Promise<{ txt: TxtFinding; problems: Problem[] }> {
  const values = (await queries.ask(name, 'TXT'))?.map((value) => value.trim());
  if (!values) return { txt: 'unreachable', problems: [unreachableProblem(`the TXT record at ${name}`)] };
  if (values.includes(expected)) return { txt: 'found', problems: [] };
  const isDoubled = values.length === 0 && (await hasProof(queries, `${name}.${domain}`));
  return { txt: 'missing', problems: [txtProblem(name, expected, values, isDoubled ? domain : undefined)] };
}

/** Whether a TXT record at this name verifies any host. Other values, such as a wildcard's, don't count. */
async function hasProof(queries: DnsQueries, name: string): Promise<boolean> {
  const values = await queries.ask(name, 'TXT');
  return values?.some((value) => value.trim().startsWith('frontdesk=')) ?? false;
}
