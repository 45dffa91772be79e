import { useEffect, useRef, useState } from 'preact/hooks';
import { FrontdeskError } from '../api/api';
import { errorText, violationText } from '../api/error-text';
import { t } from '../language/language';

export interface Form<V extends Record<string, string>> {
  values: V;
  set: (name: keyof V & string, value: string) => void;
  replace: (values: V) => void;
  /** Discards the restored draft; undefined if there is none. */
  startAfresh?: () => void;
  /** The API's errors, by field name. */
  errors: Readonly<Record<string, string>>;
  /** An error that concerns the whole form. */
  error: string | undefined;
  isSubmitting: boolean;
  submit: (event: Event) => void;
  ref: { current: HTMLFormElement | null };
}

interface Outcome {
  errors: Record<string, string>;
  error?: string;
}

/** Keeps the values as typed if the API refuses them, shows its errors at their fields, and focuses the first of those fields. */
export function useForm<V extends Record<string, string>>(initial: V, send: (values: V) => Promise<void>): Form<V> {
  const ref = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState(initial);
  const [outcome, setOutcome] = useState<Outcome>({ errors: {} });
  const [isSubmitting, setSubmitting] = useState(false);

  useEffect(() => ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), [outcome]);

  const submit = (event: Event): void => {
    event.preventDefault();
    if (isSubmitting) return;
    setSubmitting(true);
    setOutcome({ errors: {} });
    send(values)
      .catch((error: unknown) => setOutcome(outcomeOf(error, Object.keys(values))))
      .finally(() => setSubmitting(false));
  };
  const set = (name: keyof V & string, value: string): void => setValues((before) => ({ ...before, [name]: value }));
  return { values, set, replace: setValues, ...{ errors: outcome.errors, error: outcome.error }, isSubmitting, submit, ref };
}

/** An error for `send` to throw when the console, rather than the API, finds a field invalid. */
export function fieldError(name: string, detail: string): FrontdeskError {
  const code = 'not_sent';
  const violation = { id: '', status: 400, code, title: '', detail, source: { in: 'form', name } } as const;
  return new FrontdeskError(detail, { status: 400, code, violations: [violation] });
}

function outcomeOf(error: unknown, names: string[]): Outcome {
  if (!(error instanceof FrontdeskError)) return { errors: {}, error: errorText(error) };
  const errors: Record<string, string> = {};
  for (const violation of error.violations) {
    const name = violation.source?.name;
    if (name !== undefined && names.includes(name)) errors[name] ??= violationText(violation);
  }
  if (Object.keys(errors).length === 0) return { errors, error: errorText(error) };
  return { errors, error: names.length > 1 ? t.forms.check : undefined };
}
