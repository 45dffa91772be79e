import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Checkboxes, FieldSet, listOf, Radios } from '../forms/choices';
import { CopyButton } from '../forms/copy-button';
import { useDraftForm } from '../forms/use-draft-form';
import { SelectField, TextField } from '../forms/fields';
import { FormPanel } from '../forms/form';
import { fieldError } from '../forms/use-form';
import { CallerText } from '../language/caller-text';
import { t } from '../language/language';
import { useSession } from '../session/session';
import { guardLeaving } from '../shell/leave-dialog';
import { Page } from '../shell/page';

const LIFETIMES = ['', '7d', '30d', '90d', '365d'] as const;
const PARENT_PAGE = ['/keys', t.pages.keys] as const;

export function KeyCreatePage() {
  const { api, identity } = useSession();
  const [newKey, setNewKey] = useState<{ name: string; key: string }>();
  const grantableScopes = identity.scopes.filter((scope) => scope !== 'keys:write');
  const form = useDraftForm({ name: '', which: 'all', scopes: '', expires: '' }, async ({ name, which, scopes, expires }) => {
    const chosen = grantableScopes.filter((scope) => listOf(scopes).includes(scope)).join(','); // a draft may have another key's scopes
    if (which === 'chosen' && chosen === '') throw fieldError('scopes', t.keys.chooseOne);
    const body = { name, ...(which === 'chosen' && { scopes: chosen }), ...(expires !== '' && { expires }) };
    const { data } = await api.post('/api/keys', { body });
    setNewKey({ name, key: data.key });
    return undefined;
  });
  if (newKey) return <NewKeyPage name={newKey.name} value={newKey.key} />;
  return (
    <Page title={t.keys.create} parent={PARENT_PAGE}>
      <FormPanel form={form} back="/keys" submitText={t.keys.create}>
        <TextField form={form} name="name" label={t.keys.name} hint={t.keys.nameHint} />
        <FieldSet legend={t.keys.scopes} hint={t.keys.scopesHint} error={form.errors.scopes}>
          <Radios
            form={form}
            name="which"
            options={[
              ['all', t.keys.sameScopes],
              ['chosen', t.keys.someScopes],
            ]}
          />
          {form.values.which === 'chosen' && (
            <Checkboxes form={form} name="scopes" options={grantableScopes.map((scope) => [scope, scope] as const)} />
          )}
        </FieldSet>
        <SelectField
          form={form}
          name="expires"
          label={t.keys.expires}
          options={LIFETIMES.map((each) => [each, each === '' ? t.keys.never : t.keys.inDays(each.slice(0, -1))] as const)}
        />
      </FormPanel>
    </Page>
  );
}

/** Keeps the key only in the page, never in a draft, the URL or storage. */
function NewKeyPage({ name, value }: { name: string; value: string }) {
  const [, navigate] = useLocation();
  const release = useRef<() => void>();
  useLayoutEffect(() => {
    release.current = guardLeaving(t.keys.leaveText);
    return release.current;
  }, []);
  const done = (): void => {
    release.current?.();
    navigate('/keys');
  };
  return (
    <Page title={t.keys.made} parent={PARENT_PAGE}>
      <section class="card">
        <h2>
          <CallerText text={name} />
        </h2>
        <p>{t.keys.madeText}</p>
        <div class="copyable">
          <code>{value}</code>
          <CopyButton value={value} of={t.session.key} />
        </div>
        <div class="actions">
          <button type="button" class="button" onClick={done}>
            {t.keys.done}
          </button>
        </div>
      </section>
    </Page>
  );
}
