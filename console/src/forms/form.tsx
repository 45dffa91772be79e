import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { t } from '../language/language';
import type { Form } from './use-form';

interface FormProps<V extends Record<string, string>> {
  form: Form<V>;
  /** Where Cancel leads; without it, there is no Cancel. */
  back?: string;
  submitText?: string;
  submittingText?: string;
  children: ComponentChildren;
}

/** `noValidate`, because only the API decides what it accepts. */
export function FormPanel<V extends Record<string, string>>({ form, back, submitText, submittingText, children }: FormProps<V>) {
  return (
    <form class="form" noValidate ref={form.ref} onSubmit={form.submit}>
      <div role="alert">{form.error && <p class="notice notice-danger">{form.error}</p>}</div>
      {form.startAfresh && (
        <div class="notice" role="status">
          <p>{t.forms.restored}</p>
          <button type="button" class="button" onClick={form.startAfresh}>
            {t.forms.startAfresh}
          </button>
        </div>
      )}
      {children}
      <div class="actions">
        <button type="submit" class="button button-primary" aria-disabled={form.isSubmitting}>
          {form.isSubmitting ? (submittingText ?? t.forms.saving) : (submitText ?? t.forms.save)}
        </button>
        {back !== undefined && (
          <Link class="button" href={back}>
            {t.forms.cancel}
          </Link>
        )}
      </div>
    </form>
  );
}
