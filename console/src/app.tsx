import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { Router } from 'wouter-preact';
import { CONSOLE_PATH } from './api/addresses';
import { connect } from './api/api';
import { forgetDrafts } from './forms/use-draft-form';
import { t } from './language/language';
import { LeaveDialog, useGuardedLocation } from './shell/leave-dialog';
import { Shell } from './shell/shell';
import type { Scope } from './session/scopes';
import { fingerprintOf, forget, keep, type StoredSession, restore, SessionContext } from './session/session';
import { SignIn } from './session/sign-in';

/** Once a key is refused, removes its account's data from the page, because the next key may belong to another account. */
export function App() {
  const [{ stored, isEnded }, setState] = useState<{ stored: StoredSession | undefined; isEnded: boolean }>(() => ({
    stored: restore(),
    isEnded: false,
  }));
  useLayoutEffect(() => (stored ? keep(stored) : forget()), [stored]); // before the sign-in page is shown
  useEffect(() => {
    // The browser's Back may restore a page that was left before the key was signed out.
    const restoreAgain = ({ persisted }: PageTransitionEvent): void => void (persisted && setState({ stored: restore(), isEnded: false }));
    addEventListener('pageshow', restoreAgain);
    return () => removeEventListener('pageshow', restoreAgain);
  }, []);
  const session = useMemo(() => {
    if (!stored) return undefined;
    const may = (scope: Scope): boolean => stored.scopes.includes(scope);
    const signOut = (): void => {
      forgetDrafts();
      setState({ stored: undefined, isEnded: false });
    };
    const end = (): void => setState((state) => (state.stored === stored ? { stored: undefined, isEnded: true } : state)); // a late response must not end the next session
    return { ...connect(stored.key, end), fingerprint: fingerprintOf(stored.key), identity: stored, may, signOut };
  }, [stored]);
  useEffect(() => session?.close, [session]);
  if (!session) {
    const signIn = (entered: StoredSession): void => {
      forgetDrafts(entered.account);
      setState({ stored: entered, isEnded: false });
    };
    return <SignIn reason={isEnded ? t.session.ended : undefined} onSignedIn={signIn} />;
  }
  return (
    <SessionContext.Provider key={session.fingerprint} value={session}>
      <Router base={CONSOLE_PATH} hook={useGuardedLocation}>
        <Shell />
        <LeaveDialog />
      </Router>
    </SessionContext.Provider>
  );
}
