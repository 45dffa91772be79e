import { useId } from 'preact/hooks';

/** The hint and the error of a control, and the ids for its `aria-describedby`. */
export function useNotes(hint: string | undefined, error: string | undefined) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
  const notes = (
    <>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </>
  );
  return { describedBy, notes };
}
