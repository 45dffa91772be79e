import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config';
import { problemOfTxt, problemsOfTarget, unreachable } from '../dns/problems';
import { DnsQueries } from '../dns/dns-queries';
import { findTarget } from '../dns/target';
import { CheckMetrics } from './check-metrics';
import { txtRecord } from '../verification.dto';
import { VerificationTokens } from '../verification-tokens';
import type { Problem } from '../domain-verification.entity';
import type { Finding, TxtFinding } from '../verification-state';

/** Checks a host in DNS. */
@Injectable()
export class DomainCheck {
  constructor(
    private readonly config: Config,
    private readonly tokens: VerificationTokens,
    private readonly metrics: CheckMetrics,
  ) {}

  /** Within 4.5 s, whatever DNS does. */
  async run(accountId: number, host: string): Promise<Finding> {
    const { name, value } = txtRecord(host, await this.tokens.tokenOf(accountId, host));
    const { target } = this.config.edge;
    const queries = new DnsQueries(this.config.outbound.dnsServers);
    try {
      const [values, finding] = await Promise.all([queries.ask(name, 'TXT'), target && findTarget(queries, host, target)]);
      const { txt, problems } = judgeTxt(name, value, values);
      this.metrics.count(txt);
      return { txt, problems: [...problems, ...(target && finding ? problemsOfTarget(host, target, finding, txt === 'found') : [])] };
    } finally {
      queries.end();
    }
  }
}

function judgeTxt(name: string, expected: string, values?: readonly string[]): { txt: TxtFinding; problems: Problem[] } {
  if (!values) return { txt: 'unreachable', problems: [unreachable(`the TXT record at ${name}`)] };
  const trimmed = values.map((value) => value.trim());
  if (trimmed.includes(expected)) return { txt: 'found', problems: [] };
  return { txt: 'missing', problems: [problemOfTxt(name, expected, trimmed)] };
}
