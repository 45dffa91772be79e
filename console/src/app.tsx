import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { Router } from 'wouter-preact';
import { CONSOLE_PATH } from './api/addresses';
import { connect } from './api/api';
import { t } from './language/language';
import { Shell } from './shell/shell';
import type { Scope } from './session/scopes';
import { fingerprintOf, forget, keep, restore, SessionContext } from './session/session';
import { SignIn } from './session/sign-in';

/** Once a key is refused, the page is hidden behind the sign-in, for the same key alone: another may be another account's. */
export function App() {
  const [kept, setKept] = useState(restore);
  const [isEnded, setEnded] = useState(false);
  useLayoutEffect(() => (kept && !isEnded ? keep(kept) : forget()), [kept, isEnded]); // before the sign-in shows that the key is gone
  useEffect(() => {
    // The browser's Back may bring a page to life that was left before the key was signed out.
    const reconsider = ({ persisted }: PageTransitionEvent): void => void (persisted && setKept(restore()));
    addEventListener('pageshow', reconsider);
    return () => removeEventListener('pageshow', reconsider);
  }, []);
  const session = useMemo(() => {
    if (!kept) return undefined;
    const may = (scope: Scope): boolean => kept.scopes.includes(scope);
    const signOut = (): void => setKept(undefined);
    return { ...connect(kept.key, () => setEnded(true)), fingerprint: fingerprintOf(kept.key), may, signOut };
  }, [kept]);
  const signIn = (key: string, scopes: Scope[]): void => {
    setKept({ key, scopes });
    setEnded(false);
  };
  return (
    <>
      {(!session || isEnded) && <SignIn reason={isEnded ? t.session.ended : undefined} onSignedIn={signIn} />}
      {session && (
        <div key={session.fingerprint} hidden={isEnded}>
          <SessionContext.Provider value={session}>
            <Router base={CONSOLE_PATH}>
              <Shell />
            </Router>
          </SessionContext.Provider>
        </div>
      )}
    </>
  );
}
