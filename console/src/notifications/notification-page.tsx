import { hasCode } from '../api/api';
import { ErrorNotice } from '../api/error-text';
import { useRead } from '../api/use-read';
import { LongText } from '../language/caller-text';
import { t, textFor, visible } from '../language/language';
import { formatNumber } from '../language/times';
import { BlockSkeleton } from '../lists/skeletons';
import { RecordTimes } from '../records/record-times';
import { Gone, Page } from '../shell/page';
import { isPosition, type Notification, typeText } from './appearance';
import { Enabled } from './enabled';
import { Preview } from './preview';

export function NotificationPage({ id }: { id: number }) {
  const { data, error, reload } = useRead(`notification ${id}`, async (api, signal) => {
    const options = { path: { notification_id: id }, signal };
    return (await api.get('/api/notifications/{notification_id}', options)).data;
  });
  if (hasCode(error, 'not_found') || hasCode(error, 'invalid_parameter')) return <Gone list={['/notifications', t.pages.notifications]} />;
  return (
    <Page title={data ? visible(data.name) : t.pages.notifications} parent={['/notifications', t.pages.notifications]}>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {!data && error === undefined && <BlockSkeleton />}
      {data && (
        <>
          <section class="card">
            <h2>{t.notifications.preview}</h2>
            <Preview notification={data} />
          </section>
          <Details notification={data} />
          <Settings settings={data.settings} />
        </>
      )}
    </Page>
  );
}

function Details({ notification }: { notification: Notification }) {
  const { type, campaign_id, notification_key, is_enabled } = notification;
  return (
    <section class="card">
      <h2>{t.notifications.details}</h2>
      <dl class="details">
        <dt>{t.notifications.state}</dt>
        <dd>
          <Enabled isEnabled={is_enabled} />
        </dd>
        <dt>{t.notifications.type}</dt>
        <dd>{typeText(type)}</dd>
        <dt>{t.notifications.campaign}</dt>
        <dd>{campaign_id}</dd>
        <dt>{t.notifications.key}</dt>
        <dd>
          <code>{notification_key}</code>
        </dd>
        <RecordTimes record={notification} created={t.notifications.added} changed={t.notifications.changed} />
      </dl>
    </section>
  );
}

/** All settings. They may be any JSON, so unknown ones are shown as they are. */
function Settings({ settings }: { settings: Notification['settings'] }) {
  const entries = Object.entries(settings);
  return (
    <section class="card">
      <h2>{t.notifications.settings}</h2>
      {entries.length === 0 && <p class="muted">{t.notifications.noSettings}</p>}
      <dl class="details">
        {entries.map(([name, value]) => (
          <div class="details-row" key={name}>
            <dt>{textFor(t.notifications.settingNames, name) ?? <code>{visible(name)}</code>}</dt>
            <dd>
              <SettingValue name={name} value={value} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function SettingValue({ name, value }: { name: string; value: unknown }) {
  if (name === 'display_position' && isPosition(value)) return <>{t.notifications.positions[value]}</>;
  if (typeof value === 'number') return <>{formatNumber(value)}</>;
  return <LongText text={typeof value === 'string' ? value : JSON.stringify(value)} />;
}
