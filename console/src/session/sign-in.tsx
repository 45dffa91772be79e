import { useEffect } from 'preact/hooks';
import { connect, hasCode } from '../api/api';
import { FormPanel } from '../forms/form';
import { TextField } from '../forms/fields';
import { fieldError, useForm } from '../forms/use-form';
import { t } from '../language/language';
import { readIdentity } from './scopes';
import type { StoredSession } from './session';

interface SignInProps {
  /** Why the user must sign in again. */
  reason: string | undefined;
  onSignedIn: (kept: StoredSession) => void;
}

export function SignIn({ reason, onSignedIn }: SignInProps) {
  const form = useForm({ key: '' }, async ({ key }) => {
    const trimmed = key.trim();
    if (!/^[\x21-\x7e]+$/.test(trimmed)) throw fieldError('key', t.session.refused); // a header may contain only these
    const { api } = connect(trimmed, () => {});
    const identity = await readIdentity(api).catch((error: unknown) => {
      throw hasCode(error, 'unauthenticated') ? fieldError('key', t.session.refused) : error;
    });
    if (!identity.scopes.some((scope) => scope.endsWith(':read') || scope === 'keys:write')) throw fieldError('key', t.session.nothing);
    onSignedIn({ ...identity, key: trimmed });
  });
  useEffect(() => {
    document.title = `${t.session.title} · frontdesk`;
  }, []);
  return (
    <main class="sign-in">
      <p class="brand">frontdesk</p>
      <h1>{t.session.title}</h1>
      <p class="muted">{t.session.intro}</p>
      {reason && (
        <p class="notice" role="status">
          {reason}
        </p>
      )}
      <FormPanel form={form} submitText={t.session.submit} submittingText={t.session.submitting}>
        <TextField form={form} name="key" type="password" label={t.session.key} hint={t.session.keyHint} />
      </FormPanel>
    </main>
  );
}
