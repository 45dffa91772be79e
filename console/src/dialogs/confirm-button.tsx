import { useId, useRef, useState } from 'preact/hooks';
import { errorText } from '../api/error-text';
import { t } from '../language/language';

interface ConfirmButtonProps {
  /** Label of the button, and of the one that confirms. */
  action: string;
  busyText: string;
  /** The question, which names the record. */
  title: string;
  /** The consequences of the action. */
  text: string;
  /** Label of the button that cancels. */
  cancel?: string;
  /** If it throws, the dialog stays open and shows the error. */
  run: () => Promise<void>;
}

/** Asks for confirmation before an action that can't be undone. */
export function ConfirmButton({ action, busyText, title, text, cancel = t.dialogs.cancel, run }: ConfirmButtonProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();

  const confirm = (): void => {
    if (isRunning) return;
    setRunning(true);
    setError(undefined);
    run()
      .then(() => dialog.current?.close())
      .catch(setError)
      .finally(() => setRunning(false));
  };

  return (
    <>
      <button type="button" class="button button-danger" onClick={() => dialog.current?.showModal()}>
        {action}
      </button>
      <dialog
        ref={dialog}
        class="dialog"
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-text`}
        onClose={() => setError(undefined)}
      >
        <h2 id={`${id}-title`}>{title}</h2>
        <p id={`${id}-text`}>{text}</p>
        <div role="alert">{error !== undefined && <p class="notice notice-danger">{errorText(error)}</p>}</div>
        <div class="actions">
          <button type="button" class="button button-danger-filled" aria-disabled={isRunning} onClick={confirm}>
            {isRunning ? busyText : action}
          </button>
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            {cancel}
          </button>
        </div>
      </dialog>
    </>
  );
}
