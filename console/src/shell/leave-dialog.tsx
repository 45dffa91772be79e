import { useEffect, useId, useRef } from 'preact/hooks';
import { type BrowserLocationHook, useBrowserLocation } from 'wouter-preact/use-browser-location';
import { t } from '../language/language';

type Leave = () => void;

let isGuarded = false;
let ask: ((leave: Leave) => void) | undefined;

/** Until it is called again: the page has a form that was changed. The browser itself asks before a tab is closed. */
export function guardLeaving(): () => void {
  const warn = (event: Event): void => event.preventDefault();
  isGuarded = true;
  addEventListener('beforeunload', warn);
  return () => {
    isGuarded = false;
    removeEventListener('beforeunload', warn);
  };
}

/** Leaves the page, once the person has agreed if it has a changed form. */
export function leavePage(leave: Leave): void {
  if (isGuarded && ask) ask(leave);
  else leave();
}

/** For the router. The browser's Back isn't asked: what was typed is there on the way forth. */
export const useGuardedLocation: BrowserLocationHook = (options) => {
  const [path, navigate] = useBrowserLocation(options);
  return [path, (to, how) => leavePage(() => navigate(to, how))];
};

export function LeaveDialog() {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const leave = useRef<Leave>();
  useEffect(() => {
    ask = (agreed) => {
      leave.current = agreed;
      dialog.current?.showModal();
    };
    return () => (ask = undefined);
  }, []);
  const agree = (): void => {
    dialog.current?.close();
    leave.current?.();
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={`${id}-title`} aria-describedby={`${id}-text`}>
      <h2 id={`${id}-title`}>{t.forms.leaveTitle}</h2>
      <p id={`${id}-text`}>{t.forms.leaveText}</p>
      <div class="actions">
        <button type="button" class="button button-primary" onClick={() => dialog.current?.close()}>
          {t.forms.stay}
        </button>
        <button type="button" class="button" onClick={agree}>
          {t.forms.leave}
        </button>
      </div>
    </dialog>
  );
}
