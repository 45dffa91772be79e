import type { ComponentChildren, TargetedClipboardEvent } from 'preact';
import { useId } from 'preact/hooks';
import { t } from '../language/language';
import { useNotes } from './notes';
import type { Form } from './use-form';

interface FieldProps<V extends Record<string, string>> {
  form: Form<V>;
  /** The API's name for the field, so that errors can be matched to it. */
  name: keyof V & string;
  label: string;
  hint?: string;
  isOptional?: boolean;
}

interface TextFieldProps<V extends Record<string, string>> extends FieldProps<V> {
  type?: 'text' | 'url' | 'email' | 'tel' | 'password' | 'datetime-local';
  rows?: number;
  autocomplete?: string;
  placeholder?: string;
  onPaste?: (event: TargetedClipboardEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
}

export function TextField<V extends Record<string, string>>({
  type = 'text',
  rows,
  autocomplete = 'off',
  placeholder,
  onPaste,
  ...field
}: TextFieldProps<V>) {
  const { attributes, wrap } = useField(field);
  const shared = {
    ...attributes,
    autocomplete,
    placeholder,
    onPaste,
    spellcheck: rows !== undefined,
    autocapitalize: rows ? ('sentences' as const) : ('none' as const),
  };
  return wrap(rows ? <textarea {...shared} rows={rows} /> : <input {...shared} type={type} />);
}

export function SelectField<V extends Record<string, string>>({
  options,
  ...field
}: FieldProps<V> & { options: readonly (readonly [string, string])[] }) {
  const { attributes, wrap } = useField(field);
  return wrap(
    <select {...attributes}>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>,
  );
}

function useField<V extends Record<string, string>>({ form, name, label, hint, isOptional }: FieldProps<V>) {
  const id = useId();
  const error = form.errors[name];
  const { describedBy, notes } = useNotes(hint, error);
  const attributes = {
    id,
    name,
    value: form.values[name],
    onInput: (event: { currentTarget: { value: string } }) => form.set(name, event.currentTarget.value),
    'aria-invalid': error ? ('true' as const) : undefined,
    'aria-describedby': describedBy,
    'aria-required': isOptional ? undefined : true,
  };
  const wrap = (control: ComponentChildren) => (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <span class="muted"> ({t.forms.optional})</span>}
      </label>
      {control}
      {notes}
    </div>
  );
  return { attributes, wrap };
}
