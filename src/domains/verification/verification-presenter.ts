import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { notBeyond, timestamp } from '../../common/time';
import { Config } from '../../config/config';
import { targetRecords, txtRecord } from './records-to-set';
import type { VerificationRecord } from './verification.dto';
import { MAX_WAIT_MS, newSeries } from './verification-state';
import type { DomainWithVerification } from './verification-table';
import { VerificationTokens } from './verification-tokens';

/** Makes what an account sees of a verification. */
@Injectable()
export class VerificationPresenter {
  constructor(
    private readonly tokens: VerificationTokens,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async present(accountId: number, { host, verification }: DomainWithVerification): Promise<VerificationRecord> {
    const now = this.clock.now();
    const { status, checked, due, problems } = verification?.state ?? newSeries(now);
    const next = due === null ? null : notBeyond(due, now, MAX_WAIT_MS);
    const token = await this.tokens.tokenOf(accountId, host);
    const records = [txtRecord(host, token), ...targetRecords(host, this.config.edge.target)];
    return { status, checked: toTimestamp(checked), next_check: toTimestamp(next), records, problems };
  }
}

export function toTimestamp(time: number | null): string | null {
  return time === null ? null : timestamp(new Date(time));
}
