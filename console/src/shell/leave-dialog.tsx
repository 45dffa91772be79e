import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { type BrowserLocationHook, useBrowserLocation } from 'wouter-preact/use-browser-location';
import { t } from '../language/language';

type Leave = () => void;

/** What would be lost by leaving, the newest last. */
const guards: { text: string }[] = [];
let ask: ((leave: Leave) => void) | undefined;

/** Has leaving confirmed until the returned function is called. The browser itself asks before a tab is closed. */
export function guardLeaving(text: string): () => void {
  const guard = { text };
  const warn = (event: Event): void => event.preventDefault();
  guards.push(guard);
  addEventListener('beforeunload', warn);
  return () => {
    if (guards.includes(guard)) guards.splice(guards.indexOf(guard), 1);
    removeEventListener('beforeunload', warn);
  };
}

/** Leaves the page, once the person has agreed if it has a changed form. */
export function leavePage(leave: Leave): void {
  if (guards.length > 0 && ask) ask(leave);
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
  const [text, setText] = useState('');
  useEffect(() => {
    ask = (agreed) => {
      leave.current = agreed;
      setText(guards.at(-1)?.text ?? '');
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
      <p id={`${id}-text`}>{text}</p>
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
