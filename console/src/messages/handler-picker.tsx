import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ErrorNotice } from '../api/error-text';
import { useRead } from '../api/use-read';
import { listOf } from '../forms/choices';
import type { Form } from '../forms/use-form';
import { CallerText } from '../language/caller-text';
import { t } from '../language/language';
import { formatNumber } from '../language/times';
import { TableSkeleton } from '../lists/skeletons';

const MAX_SHOWN = 25;
const TYPING_PAUSE_MS = 300;

interface Choice {
  id: number;
  name: string;
  type: keyof typeof t.handlers.types;
}

/** Enabled handlers with a search field; chosen ones stay visible whatever the search. */
export function HandlerPicker<V extends { handler_ids: string } & Record<string, string>>({ form }: { form: Form<V> }) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [name, setName] = useState('');
  const known = useRef(new Map<number, Choice>());
  useEffect(() => {
    const timer = setTimeout(() => setName(typed), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data, error, reload, isLoading } = useRead(`handlers to choose ${name}`, (api, signal) =>
    api.get('/api/notification-handlers', {
      query: { is_enabled: '1', results_per_page: MAX_SHOWN, orderby: 'name', ...(name !== '' && { name }) },
      signal,
    }),
  );
  for (const handler of data?.data ?? []) known.current.set(handler.id, handler);

  const chosen = listOf(form.values.handler_ids).map(Number);
  const toggle = (handler: number): void => {
    const next = chosen.includes(handler) ? chosen.filter((each) => each !== handler) : [...chosen, handler];
    form.set('handler_ids', next.join(','));
  };
  const found = data?.data ?? [];
  const others = chosen.map((each) => known.current.get(each)).filter((each) => each && !found.some(({ id }) => id === each.id));
  const choices = [...others.filter((each) => each !== undefined), ...found];
  return (
    <div class="picker">
      <div class="field">
        <label for={id}>{t.messages.findHandler}</label>
        <input
          id={id}
          type="search"
          value={typed}
          autocomplete="off"
          maxLength={128}
          aria-invalid={form.errors.handler_ids ? 'true' : undefined}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      </div>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {!data && error === undefined && choices.length === 0 && <TableSkeleton columns={1} rows={3} />}
      <div class="picker-choices" aria-busy={isLoading}>
        {choices.map((handler) => (
          <label key={handler.id} class="choice">
            <input type="checkbox" checked={chosen.includes(handler.id)} onChange={() => toggle(handler.id)} />
            <span>
              <CallerText text={handler.name} /> <span class="muted">({t.handlers.types[handler.type]})</span>
            </span>
          </label>
        ))}
      </div>
      <p class="hint" role="status">
        {t.messages.chosen(chosen.length, formatNumber(chosen.length))}
        {data && data.meta.total > MAX_SHOWN && ` ${t.messages.searchForMore(formatNumber(data.meta.total - MAX_SHOWN))}`}
        {data?.meta.total === 0 && ` ${t.messages.nothingFound}`}
      </p>
    </div>
  );
}
