import { Link, useLocation } from 'wouter-preact';
import { hasCode } from '../api/api';
import { ErrorNotice } from '../api/error-text';
import { useRead } from '../api/use-read';
import { DeleteButton } from '../dialogs/delete-button';
import { LongText } from '../language/caller-text';
import { t } from '../language/language';
import { BlockSkeleton } from '../lists/skeletons';
import { useLive } from '../live/live';
import { RecordTimes } from '../records/record-times';
import { useSession } from '../session/session';
import { Gone, Page } from '../shell/page';
import { type readDomain, readDomainState } from './domain-reads';
import { DomainSteps } from './domain-steps';
import { LastCheck } from './last-check';
import { VerificationBadge } from './status';

export function DomainPage({ id }: { id: number }) {
  const { api, may } = useSession();
  const [, navigate] = useLocation();
  const { data, error, reload } = useRead(`domain ${id}`, (api, signal) => readDomainState(api, id, may('events:read'), signal));
  useLive('domain.', (events) => {
    if (events.length === 0 || events.some(({ record }) => record?.id === id)) reload();
  });
  if (hasCode(error, 'not_found') || hasCode(error, 'invalid_parameter')) return <Gone list={['/domains', t.pages.domains]} />;

  const remove = async (): Promise<void> => {
    await api.delete('/api/domains/{domain_id}', { path: { domain_id: id } });
    navigate('/domains');
  };
  const host = data?.domain.host;
  const actions = host !== undefined && may('domains:write') && (
    <>
      <Link class="button" href={`/domains/${id}/edit`}>
        {t.domains.edit}
      </Link>
      <DeleteButton name={host} text={t.domains.deleteText} remove={remove} />
    </>
  );
  return (
    <Page title={host ?? t.pages.domains} parent={['/domains', t.pages.domains]} actions={actions}>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {!data && error === undefined && <BlockSkeleton />}
      {data && (
        <>
          <section class="card" aria-live="polite">
            <p>
              <VerificationBadge status={data.verification.status} />
            </p>
            <p>{t.domains.stateText[data.verification.status]}</p>
            {!data.domain.is_enabled && <p>{t.domains.disabledText}</p>}
          </section>
          <DomainSteps verification={data.verification} verifiedEvent={data.verifiedEvent} />
          <LastCheck id={id} verification={data.verification} onChecked={reload} />
          <Details domain={data.domain} notFoundUrl={data.settings.custom_not_found_url} />
        </>
      )}
    </Page>
  );
}

type DetailsProps = { domain: Awaited<ReturnType<typeof readDomain>>['domain']; notFoundUrl: string };

function Details({ domain, notFoundUrl }: DetailsProps) {
  return (
    <section class="card">
      <h2>{t.domains.details}</h2>
      <dl class="details">
        <dt>{t.domains.scheme}</dt>
        <dd>{domain.scheme}</dd>
        <dt>{t.domains.indexUrl}</dt>
        <dd>
          <LongText text={domain.custom_index_url || t.domains.noIndexUrl} />
        </dd>
        <dt>{t.domains.notFoundUrl}</dt>
        <dd>
          <LongText text={notFoundUrl || t.domains.noNotFoundUrl} />
        </dd>
        <RecordTimes record={domain} created={t.domains.added} changed={t.domains.changed} />
      </dl>
    </section>
  );
}
