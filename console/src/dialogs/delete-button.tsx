import { isolated, t } from '../language/language';
import { ConfirmButton } from './confirm-button';

interface DeleteButtonProps {
  /** What is deleted, as people call it. */
  name: string;
  /** What follows from it. */
  text: string;
  /** Deletes it, and leads away. */
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
