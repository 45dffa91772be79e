import { useEffect, useMemo, useState } from 'preact/hooks';
import { Router } from 'wouter-preact';
import { CONSOLE_PATH } from './api/addresses';
import { connect } from './api/api';
import { t } from './language/language';
import { Shell } from './shell/shell';
import type { Scope } from './session/scopes';
import { fingerprintOf, forget, keep, restore, SessionContext } from './session/session';
import { SignIn } from './session/sign-in';

/** The page stays hidden behind a sign-in that a refused key has led to: what was typed is still there afterwards. */
export function App() {
  const [kept, setKept] = useState(restore);
  const [isEnded, setEnded] = useState(false);
  useEffect(() => (kept && !isEnded ? keep(kept) : forget()), [kept, isEnded]);
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
        <div hidden={isEnded}>
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
