import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ErrorNotice } from '../api/error-text';
import { useRead } from '../api/use-read';
import { CallerText } from '../language/caller-text';
import { t } from '../language/language';
import { formatNumber } from '../language/times';
import { useLive } from '../live/live';
import { useSession } from '../session/session';
import { headingOf } from '../messages/headings';
import { readDeliveryTroubles, readDomainTroubles, readUnacknowledged, weekAgo } from './overview-reads';

const MAX_SHOWN = 3;

/** Lists what needs the user's attention, with links, or says that nothing does. Calls `onRead` once everything, or an error, is shown. */
export function Needs({ onRead }: { onRead: () => void }) {
  const { may } = useSession();
  const [mayReadDomains, mayReadDeliveries] = [may('domains:read'), may('messages:read')];
  const domains = useRead('domain troubles', async (api, signal) => (mayReadDomains ? readDomainTroubles(api, signal) : undefined));
  const maySeeHandlers = may('notification-handlers:read');
  const deliveries = useRead('delivery troubles', async (api, signal) =>
    mayReadDeliveries ? readDeliveryTroubles(api, maySeeHandlers, signal) : undefined,
  );
  const messages = useRead('unacknowledged messages', async (api, signal) =>
    mayReadDeliveries ? readUnacknowledged(api, signal) : undefined,
  );
  useLive('message.', messages.reload);
  useLive('domain.', domains.reload);
  useLive('delivery.', deliveries.reload);
  useLive('notification_handler.', deliveries.reload);
  const error = domains.error ?? deliveries.error ?? messages.error;
  const isRead =
    (!mayReadDomains || domains.data !== undefined) &&
    (!mayReadDeliveries || (deliveries.data !== undefined && messages.data !== undefined));
  const isDone = isRead || error !== undefined;
  useLayoutEffect(() => {
    if (isDone) onRead();
  }, [isDone]);
  if (!mayReadDomains && !mayReadDeliveries) return null;

  const unacknowledged = messages.data ?? [];
  const { waiting = 0, lost = 0, failed: unproven = 0, certificates = [] } = domains.data ?? {};
  const { failed = 0, onlyFailed, handlers = [], moreHandlers = 0 } = deliveries.data ?? {};
  const isQuiet = waiting + lost + unproven + failed + handlers.length + unacknowledged.length + certificates.length === 0;
  const retry = (): void => [domains, deliveries, messages].forEach(({ reload }) => reload());
  return (
    <section class="card" aria-live="polite">
      <h2>{t.overview.needs}</h2>
      {error !== undefined && <ErrorNotice error={error} retry={retry} />}
      {!isDone && <NeedsSkeleton />}
      {isRead && isQuiet && <p class="all-well">{t.overview.allWell}</p>}
      {isRead && !isQuiet && (
        <ul class="needs">
          {unacknowledged.slice(0, MAX_SHOWN).map((message) => (
            <Need key={message.id} href={`/messages/${message.id}`} tone="warning">
              {t.overview.unacknowledged} <CallerText text={headingOf(message)} />
            </Need>
          ))}
          {unacknowledged.length > MAX_SHOWN && (
            <Need count={unacknowledged.length - MAX_SHOWN} href="/messages" tone="warning">
              {t.overview.moreUnacknowledged}
            </Need>
          )}
          <Need count={failed} href={onlyFailed === undefined ? failedPath() : `/deliveries/${onlyFailed}`} tone="danger">
            {t.overview.failed(failed)}
          </Need>
          {handlers.map(({ id, name, outcome }) => (
            <Need key={id} href={`/deliveries?handler_id=${id}&outcome=${outcome}`} tone="danger">
              {t.overview.handlerFails} <CallerText text={name ?? `${t.records.notification_handler} ${formatNumber(id)}`} /> (
              {t.deliveries.outcomes[outcome]})
            </Need>
          ))}
          <Need count={moreHandlers} href="/deliveries" tone="danger">
            {t.overview.moreHandlers(moreHandlers)}
          </Need>
          <Need count={lost} href="/domains?verification_status=pending" tone="danger">
            {t.overview.lost(lost)}
          </Need>
          {certificates.slice(0, MAX_SHOWN).map(({ id, host }) => (
            <Need key={id} href={`/domains/${id}`} tone="danger">
              {t.overview.certificate} <CallerText text={host} />
            </Need>
          ))}
          {certificates.length > MAX_SHOWN && (
            <Need count={certificates.length - MAX_SHOWN} href="/domains?verification_status=verified" tone="danger">
              {t.overview.moreCertificates}
            </Need>
          )}
          <Need count={waiting} href="/domains?verification_status=pending" tone="warning">
            {t.overview.waiting(waiting)}
          </Need>
          <Need count={unproven} href="/domains?verification_status=failed" tone="danger">
            {t.overview.unproven(unproven)}
          </Need>
        </ul>
      )}
    </section>
  );
}

function NeedsSkeleton() {
  return (
    <div class="needs" aria-hidden="true">
      {[1, 2, 3].map((each) => (
        <span key={each} class="skeleton need-skeleton" />
      ))}
    </div>
  );
}

function failedPath(): string {
  return `/deliveries?status=failed&created_from=${encodeURIComponent(weekAgo())}`;
}

interface NeedProps {
  count?: number;
  href: string;
  tone: 'danger' | 'warning';
  children: ComponentChildren;
}

function Need({ count, href, tone, children }: NeedProps) {
  if (count === 0) return null;
  return (
    <li class={`need need-${tone}`}>
      <Link href={href}>
        {count !== undefined && <strong class="need-count">{formatNumber(count)}</strong>} {children}
      </Link>
    </li>
  );
}
