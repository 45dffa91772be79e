import type { TargetedClipboardEvent } from 'preact';
import { useState } from 'preact/hooks';
import { ErrorNotice } from '../api/error-text';
import { useRead } from '../api/use-read';
import { useDraftForm } from '../forms/use-draft-form';
import { SelectField, TextField } from '../forms/fields';
import { FormPanel } from '../forms/form';
import type { Form } from '../forms/use-form';
import { t } from '../language/language';
import { BlockSkeleton } from '../lists/skeletons';
import { useSession } from '../session/session';
import { Page } from '../shell/page';
import { readDomain } from './domain-reads';

type Values = { host: string; scheme: string; custom_index_url: string; custom_not_found_url: string };
type Body = Omit<Values, 'scheme'> & { scheme: 'https://' | 'http://' };

const EMPTY_VALUES: Values = { host: '', scheme: 'https://', custom_index_url: '', custom_not_found_url: '' };

export function DomainCreatePage() {
  const { api } = useSession();
  const form = useDraftForm(EMPTY_VALUES, async (values) => {
    const { data } = await api.post('/api/domains', { body: values as Body });
    return `/domains/${data.id}`;
  });
  return (
    <Page title={t.domains.addTitle} parent={['/domains', t.pages.domains]}>
      <FormPanel form={form} back="/domains" submitText={t.domains.add}>
        <Fields form={form} hostHint={t.domains.hostHint} />
      </FormPanel>
    </Page>
  );
}

export function DomainEditPage({ id }: { id: number }) {
  const { data, error, reload } = useRead(`domain ${id}`, (api, signal) => readDomain(api, id, signal));
  if (!data)
    return (
      <Page title={t.domains.edit} parent={['/domains', t.pages.domains]}>
        {error === undefined ? <BlockSkeleton /> : <ErrorNotice error={error} retry={reload} />}
      </Page>
    );
  const { host, scheme, custom_index_url } = data.domain;
  const values = { host, scheme, custom_index_url, custom_not_found_url: data.settings.custom_not_found_url };
  return <DomainEditForm id={id} etag={data.etag ?? undefined} initial={values} />;
}

function DomainEditForm({ id, etag, initial }: { id: number; etag: string | undefined; initial: Values }) {
  const { api } = useSession();
  const page = `/domains/${id}`;
  const form = useDraftForm(initial, async (values) => {
    await api.update('/api/domains/{domain_id}', { path: { domain_id: id }, body: values as Body, ifMatch: etag });
    return page;
  });
  return (
    <Page title={t.domains.editTitle(initial.host)} parent={[page, initial.host]}>
      <FormPanel form={form} back={page}>
        <Fields form={form} hostHint={form.values.host === initial.host ? t.domains.hostHint : t.domains.hostWarning} />
      </FormPanel>
    </Page>
  );
}

function Fields({ form, hostHint }: { form: Form<Values>; hostHint: string }) {
  const schemes = ['https://', 'http://'].map((scheme) => [scheme, scheme] as const);
  return (
    <>
      <HostField form={form} hint={hostHint} />
      <SelectField form={form} name="scheme" label={t.domains.scheme} options={schemes} />
      <TextField form={form} name="custom_index_url" type="url" label={t.domains.indexUrl} hint={t.domains.indexUrlHint} isOptional />
      <TextField
        form={form}
        name="custom_not_found_url"
        type="url"
        label={t.domains.notFoundUrl}
        hint={t.domains.notFoundUrlHint}
        isOptional
      />
    </>
  );
}

/** Reduces a pasted URL to its host; typed text is left unchanged. */
function HostField({ form, hint }: { form: Form<Values>; hint: string }) {
  const [taken, setTaken] = useState('');
  const paste = (event: TargetedClipboardEvent<HTMLInputElement | HTMLTextAreaElement>): void => {
    const text = event.clipboardData?.getData('text') ?? '';
    const host = hostIn(text);
    setTaken(host === text ? '' : host);
    if (host === text) return;
    event.preventDefault();
    const { value, selectionStart, selectionEnd } = event.currentTarget;
    form.set('host', value.slice(0, selectionStart ?? 0) + host + value.slice(selectionEnd ?? value.length));
  };
  return (
    <div class="field">
      <TextField form={form} name="host" label={t.domains.host} hint={hint} placeholder="www.example.com" onPaste={paste} />
      <p class="hint" role="status">
        {taken !== '' && t.domains.hostTaken(taken)}
      </p>
    </div>
  );
}

/** The text without surrounding blanks, scheme, port and path; unchanged if nothing would be left. */
function hostIn(text: string): string {
  const [, host] = /^\s*(?:[a-z][a-z\d+.-]*:\/\/)?([^\s/?#:]+)/i.exec(text) ?? [];
  return host ?? text;
}
