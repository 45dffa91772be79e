import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { guardLeaving } from '../shell/leave-dialog';
import { useSession } from '../session/session';
import { readJson, store } from '../session/storage';
import { t } from '../language/language';
import { type Form, useForm } from './use-form';

const DRAFT_PREFIX = 'frontdesk.draft';

/**
 * A form that keeps changed values, except secrets, in this tab until they are sent, and asks before it is left. Drafts are stored by
 * account and URL, because the next key may belong to another account. `send` returns the path of the next page.
 */
export function useDraftForm<V extends Record<string, string>>(
  initial: V,
  send: (values: V) => Promise<string | undefined>,
  secrets: readonly string[] = [],
): Form<V> {
  const { account } = useSession().identity;
  const [path, navigate] = useLocation();
  const [key] = useState(`${prefixOf(account)} ${path}`);
  const [restored, setRestored] = useState(() => readDraft(key, initial));
  const [isSent, setSent] = useState(false);
  const release = useRef<() => void>();
  const isUnmounted = useRef(false);
  useEffect(() => () => void (isUnmounted.current = true), []);
  const form = useForm({ ...initial, ...restored }, async (values) => {
    const next = await send(values);
    sessionStorage.removeItem(key);
    if (isUnmounted.current) return;
    release.current?.();
    setSent(true);
    if (next !== undefined) navigate(next);
  });
  const changed = Object.entries(form.values).filter(([name, value]) => value !== initial[name]);
  useEffect(() => {
    const kept = changed.filter(([name]) => !secrets.includes(name));
    if (kept.length > 0) store(key, JSON.stringify(Object.fromEntries(kept)));
    else sessionStorage.removeItem(key);
  }, [form.values]);
  const isGuarded = changed.length > 0 && !isSent;
  useLayoutEffect(() => {
    if (isGuarded) release.current = guardLeaving(t.forms.leaveText);
    return () => release.current?.();
  }, [isGuarded]);
  const startAfresh = (): void => {
    form.replace(initial);
    setRestored({});
  };
  return { ...form, startAfresh: Object.keys(restored).length > 0 ? startAfresh : undefined };
}

/** Deletes all drafts, except those of `keptAccount`. */
export function forgetDrafts(keptAccount?: string): void {
  for (const key of Object.keys(sessionStorage)) {
    const isKept = keptAccount !== undefined && key.startsWith(`${prefixOf(keptAccount)} `);
    if (key.startsWith(DRAFT_PREFIX) && !isKept) sessionStorage.removeItem(key);
  }
}

function prefixOf(account: string): string {
  return `${DRAFT_PREFIX} ${JSON.stringify(account)}`;
}

/** Omits fields that this build doesn't have. */
function readDraft<V extends Record<string, string>>(key: string, initial: V): Partial<V> {
  const kept = Object.entries(readJson(sessionStorage.getItem(key)));
  return Object.fromEntries(kept.filter(([name, value]) => name in initial && typeof value === 'string')) as Partial<V>;
}
