import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { Router } from 'wouter-preact';
import { CONSOLE_PATH } from './api/addresses';
import { connect } from './api/api';
import { forgetDrafts } from './forms/use-draft-form';
import { t } from './language/language';
import { LeaveDialog, useGuardedLocation } from './shell/leave-dialog';
import { Shell } from './shell/shell';
import type { Scope } from './session/scopes';
import { fingerprintOf, forget, keep, type Kept, restore, SessionContext } from './session/session';
import { SignIn } from './session/sign-in';

/** Once a key is refused, removes its account's data from the page, because the next key may belong to another account. */
export function App() {
  const [{ kept, isEnded }, setState] = useState<{ kept: Kept | undefined; isEnded: boolean }>(() => ({ kept: restore(), isEnded: false }));
  useLayoutEffect(() => (kept ? keep(kept) : forget()), [kept]); // before the sign-in page is shown
  useEffect(() => {
    // The browser's Back may restore a page that was left before the key was signed out.
    const reconsider = ({ persisted }: PageTransitionEvent): void => void (persisted && setState({ kept: restore(), isEnded: false }));
    addEventListener('pageshow', reconsider);
    return () => removeEventListener('pageshow', reconsider);
  }, []);
  const session = useMemo(() => {
    if (!kept) return undefined;
    const may = (scope: Scope): boolean => kept.scopes.includes(scope);
    const signOut = (): void => {
      forgetDrafts();
      setState({ kept: undefined, isEnded: false });
    };
    const end = (): void => setState((state) => (state.kept === kept ? { kept: undefined, isEnded: true } : state)); // a late response must not end the next session
    return { ...connect(kept.key, end), fingerprint: fingerprintOf(kept.key), identity: kept, may, signOut };
  }, [kept]);
  useEffect(() => session?.close, [session]);
  if (!session) {
    const signIn = (given: Kept): void => {
      forgetDrafts(given.account);
      setState({ kept: given, isEnded: false });
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
