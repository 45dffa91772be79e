import { Link } from 'wouter-preact';
import type { Schemas } from '../api/api';
import { useRead } from '../api/use-read';
import { ConfirmButton } from '../dialogs/confirm-button';
import { CallerText } from '../language/caller-text';
import { isolated, t } from '../language/language';
import { Time } from '../language/times';
import { useListQuery } from '../lists/list-query';
import { ListView } from '../lists/list-view';
import { usePhone } from '../lists/use-phone';
import { useLive } from '../live/live';
import { useSession } from '../session/session';
import { Page } from '../shell/page';

export function KeyList() {
  const list = useListQuery([]);
  const isPhone = usePhone();
  const read = useRead(`keys ${JSON.stringify(list.query)}`, (api, signal) => api.get('/api/keys', { query: list.query, signal }));
  useLive('key.', read.reload);
  const create = (
    <Link class="button button-primary" href="/keys/new">
      {t.keys.create}
    </Link>
  );
  return (
    <Page title={t.pages.keys} actions={create}>
      <p class="lead">{t.keys.listIntro}</p>
      <ListView
        label={t.pages.keys}
        list={list}
        read={read}
        columns={[
          { label: t.keys.name, cell: ({ name }) => <CallerText text={name} /> },
          {
            label: t.keys.scopes,
            cell: ({ scopes }) => (scopes.includes('*') ? t.keys.allScopes : <span class="key-scopes">{scopes.join(', ')}</span>),
          },
          { label: t.keys.id, isLabelled: true, cell: ({ id }) => id },
          { label: t.keys.expires, isLabelled: true, cell: ({ expires }) => (expires ? <Time value={expires} /> : t.keys.never) },
          {
            label: t.keys.lastUsed,
            isLabelled: true,
            cell: ({ last_used }) => (last_used ? <Time value={last_used} isRelative /> : isPhone ? null : t.keys.notUsed),
          },
          { label: t.keys.revoke, isAside: true, cell: (key) => <RevokeButton apiKey={key} onRevoked={read.reload} /> },
        ]}
        empty={null} // the list has at least the key that reads it
      />
    </Page>
  );
}

function RevokeButton({ apiKey: { id, name }, onRevoked }: { apiKey: Schemas['ApiKeyRecord']; onRevoked: () => void }) {
  const { api, identity } = useSession();
  const revoke = async (): Promise<void> => {
    await api.delete('/api/keys/{key_id}', { path: { key_id: id } });
    onRevoked();
  };
  return (
    <ConfirmButton
      action={t.keys.revoke}
      busyText={t.keys.revoking}
      title={t.keys.revokeTitle(isolated(name))}
      text={id === identity.id ? t.keys.revokeOwn : t.keys.revokeText}
      run={revoke}
    />
  );
}
