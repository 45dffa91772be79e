import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { type BrowserLocationHook, useBrowserLocation } from 'wouter-preact/use-browser-location';
import { t } from '../language/language';

type Leave = () => void;

/** Descriptions of what leaving would lose, the newest last. */
const guards: { text: string }[] = [];
let ask: ((leave: Leave) => void) | undefined;

/** Asks before the page is left, until the returned function is called. For a closing tab, the browser asks. */
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

/** Leaves the page; if it has a changed form, only after the user has agreed. */
export function leavePage(leave: Leave): void {
  if (guards.length > 0 && ask) ask(leave);
  else leave();
}

/** The router's location hook. Doesn't ask on the browser's Back, because Forward restores what was typed. */
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
