import { isolated, t } from '../language/language';
import { ConfirmButton } from './confirm-button';

interface DeleteButtonProps {
  /** Name of the record. */
  name: string;
  /** The consequences of deleting it. */
  text: string;
  /** Deletes the record and leaves its page. */
  remove: () => Promise<void>;
}

export function DeleteButton({ name, text, remove }: DeleteButtonProps) {
  return (
    <ConfirmButton
      action={t.dialogs.delete}
      busyText={t.dialogs.deleting}
      title={t.dialogs.deleteTitle(isolated(name))}
      text={text}
      run={remove}
    />
  );
}
