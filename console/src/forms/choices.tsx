import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { useNotes } from './notes';
import type { Form } from './use-form';

interface FieldSetProps {
  legend: string;
  hint?: string;
  error?: string;
  children: ComponentChildren;
}

/** Several controls with one name, one hint and one error. */
export function FieldSet({ legend, hint, error, children }: FieldSetProps) {
  const { describedBy, notes } = useNotes(hint, error);
  return (
    <fieldset class="field-set" aria-describedby={describedBy}>
      <legend>{legend}</legend>
      {notes}
      {children}
    </fieldset>
  );
}

interface RadiosProps<V extends Record<string, string>> {
  form: Form<V>;
  name: keyof V & string;
  options: readonly (readonly [value: string, text: string])[];
}

export function Radios<V extends Record<string, string>>({ form, name, options }: RadiosProps<V>) {
  const id = useId();
  return (
    <>
      {options.map(([value, text]) => (
        <label key={value} class="choice">
          <input type="radio" name={`${id}${name}`} checked={form.values[name] === value} onChange={() => form.set(name, value)} />
          {text}
        </label>
      ))}
    </>
  );
}

interface CheckboxesProps<V extends Record<string, string>> extends RadiosProps<V> {
  /** Whether another choice includes all of them. */
  areIncluded?: boolean;
}

/** The field's value is the checked values joined with commas, as the API expects lists. */
export function Checkboxes<V extends Record<string, string>>({ form, name, options, areIncluded = false }: CheckboxesProps<V>) {
  const chosen = listOf(form.values[name] ?? '');
  const toggle = (value: string): void =>
    form.set(name, (chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value]).join(','));
  return (
    <>
      {options.map(([value, text]) => (
        <label key={value} class="choice">
          <input
            type="checkbox"
            checked={areIncluded || chosen.includes(value)}
            disabled={areIncluded}
            aria-invalid={form.errors[name] ? 'true' : undefined}
            onChange={() => toggle(value)}
          />
          {text}
        </label>
      ))}
    </>
  );
}

export function listOf(value: string): string[] {
  return value === '' ? [] : value.split(',');
}
