import { t } from '../language/language';
import type { ListedDomain, VerificationStatus } from './domain-reads';

const TONES = { pending: 'warning', verified: 'success', failed: 'danger' } as const;

export function VerificationBadge({ status }: { status: VerificationStatus }) {
  return <span class={`badge badge-${TONES[status]}`}>{t.domains.status[status]}</span>;
}

/** The status of a domain, as badges. */
export function Status({ domain }: { domain: ListedDomain }) {
  return (
    <span class="badges">
      {domain.verification && <VerificationBadge status={domain.verification.status} />}
      {!domain.is_enabled && <span class="badge">{t.domains.disabled}</span>}
    </span>
  );
}
