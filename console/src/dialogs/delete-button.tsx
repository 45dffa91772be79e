import { useId, useRef, useState } from 'preact/hooks';
import { hasCode } from '../api/api';
import { errorText } from '../api/error-text';
import { t } from '../language/language';

interface DeleteButtonProps {
  /** What is deleted, as people call it. */
  name: string;
  /** What follows from it. */
  text: string;
  /** Deletes it, and leads away. */
  remove: () => Promise<void>;
}

export function DeleteButton({ name, text, remove }: DeleteButtonProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isDeleting, setDeleting] = useState(false);
  const [error, setError] = useState<unknown>();

  const confirm = (): void => {
    if (isDeleting) return;
    setDeleting(true);
    setError(undefined);
    remove()
      .then(() => dialog.current?.close())
      .catch((reason: unknown) => {
        if (hasCode(reason, 'unauthenticated')) dialog.current?.close(); // it would be above the sign-in
        setError(reason);
      })
      .finally(() => setDeleting(false));
  };

  return (
    <>
      <button type="button" class="button button-danger" onClick={() => dialog.current?.showModal()}>
        {t.dialogs.delete}
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby={`${id}-title`} aria-describedby={`${id}-text`}>
        <h2 id={`${id}-title`}>{t.dialogs.deleteTitle(name)}</h2>
        <p id={`${id}-text`}>{text}</p>
        <div role="alert">{error !== undefined && <p class="notice notice-danger">{errorText(error)}</p>}</div>
        <div class="actions">
          <button type="button" class="button button-danger-filled" aria-disabled={isDeleting} onClick={confirm}>
            {isDeleting ? t.dialogs.deleting : t.dialogs.delete}
          </button>
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            {t.dialogs.cancel}
          </button>
        </div>
      </dialog>
    </>
  );
}
