import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { guardLeaving } from '../shell/leave-dialog';
import { useSession } from '../session/session';
import { type Form, useForm } from './use-form';

const PREFIX = 'frontdesk.draft';

/**
 * A form whose changed values, but for secrets, stay in this tab until they are sent, and which asks before it is left. Drafts belong to an
 * account and an address: the next key may be another account's.
 */
export function useDraftForm<V extends Record<string, string>>(
  initial: V,
  send: (values: V) => Promise<void>,
  secrets: readonly string[] = [],
): Form<V> {
  const { account } = useSession().identity;
  const [path] = useLocation();
  const [key] = useState(`${prefixOf(account)} ${path}`);
  const [restored, setRestored] = useState(() => read(key, initial));
  const [isSent, setSent] = useState(false);
  const form = useForm({ ...initial, ...restored }, async (values) => {
    await send(values);
    setSent(true);
    sessionStorage.removeItem(key);
  });
  const changed = Object.entries(form.values).filter(([name, value]) => value !== initial[name]);
  useEffect(() => {
    const kept = changed.filter(([name]) => !secrets.includes(name));
    if (kept.length > 0) sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(kept)));
    else sessionStorage.removeItem(key);
  }, [form.values]);
  const isGuarded = changed.length > 0 && !form.isSubmitting && !isSent;
  useLayoutEffect(() => (isGuarded ? guardLeaving() : undefined), [isGuarded]);
  const startAfresh = (): void => {
    form.replace(initial);
    setRestored({});
  };
  return { ...form, startAfresh: Object.keys(restored).length > 0 ? startAfresh : undefined };
}

/** Of every account but one, if it is given. */
export function forgetDrafts(exceptOf?: string): void {
  for (const key of Object.keys(sessionStorage)) {
    const isKept = exceptOf !== undefined && key.startsWith(`${prefixOf(exceptOf)} `);
    if (key.startsWith(PREFIX) && !isKept) sessionStorage.removeItem(key);
  }
}

function prefixOf(account: string): string {
  return `${PREFIX} ${JSON.stringify(account)}`;
}

/** Fields that another build had are left out. */
function read<V extends Record<string, string>>(key: string, initial: V): Partial<V> {
  const kept = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Record<string, string>;
  return Object.fromEntries(Object.entries(kept).filter(([name]) => name in initial)) as Partial<V>;
}
