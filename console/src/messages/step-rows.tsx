import { useId } from 'preact/hooks';
import { useRead } from '../api/use-read';
import { FieldSet, Radios } from '../forms/choices';
import type { Form } from '../forms/use-form';
import { t } from '../language/language';
import { type StepRow, rowsOf, textOf } from './steps';

const MAX_ROWS = 5;
const MAX_HANDLERS = 1_000;
const EMPTY_ROW: StepRow = { minutes: '5', handler: '' };

type StepValues = { steps: string; until: string } & Record<string, string>;

/** One row per further handler, with its delay in minutes; and the condition that ends the steps. */
export function StepRows<V extends StepValues>({ form }: { form: Form<V> }) {
  const id = useId();
  const handlers = useRead('handlers for steps', (api, signal) =>
    api.get('/api/notification-handlers', { query: { is_enabled: '1', results_per_page: MAX_HANDLERS, orderby: 'name' }, signal }),
  ).data?.data;
  const rows = rowsOf(form.values.steps);
  const change = (next: StepRow[]): void => form.set('steps', textOf(next));
  const set = (index: number, part: Partial<StepRow>): void =>
    change(rows.map((row, each) => (each === index ? { ...row, ...part } : row)));
  return (
    <FieldSet legend={t.messages.steps} hint={t.messages.stepsHint} error={form.errors.steps}>
      {rows.map((row, index) => (
        <div class="step-row" key={index} role="group" aria-label={t.messages.stepNumber(index + 1)}>
          <label for={`${id}minutes${index}`}>{t.messages.after}</label>
          <input
            id={`${id}minutes${index}`}
            type="number"
            min="1"
            max="10080"
            inputMode="numeric"
            value={row.minutes}
            aria-invalid={form.errors.steps ? 'true' : undefined}
            onInput={(event) => set(index, { minutes: event.currentTarget.value })}
          />
          <label for={`${id}handler${index}`}>{t.messages.minutesTo}</label>
          <select id={`${id}handler${index}`} value={row.handler} onChange={(event) => set(index, { handler: event.currentTarget.value })}>
            <option value="">{t.messages.chooseHandler}</option>
            {(handlers ?? []).map((handler) => (
              <option key={handler.id} value={String(handler.id)}>
                {handler.name} ({t.handlers.types[handler.type]})
              </option>
            ))}
          </select>
          <button type="button" class="button" onClick={() => change(rows.filter((_, each) => each !== index))}>
            {t.messages.removeStep}
          </button>
        </div>
      ))}
      {rows.length < MAX_ROWS && (
        <button type="button" class="button" onClick={() => change([...rows, { ...EMPTY_ROW, minutes: String(5 * (rows.length + 1)) }])}>
          {t.messages.addStep}
        </button>
      )}
      {rows.length > 0 && (
        <Radios
          form={form}
          name="until"
          options={[
            ['acknowledged', t.messages.untilAcknowledged],
            ['delivered', t.messages.untilDelivered],
          ]}
        />
      )}
    </FieldSet>
  );
}
