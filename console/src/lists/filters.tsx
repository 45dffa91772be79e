import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { t, visible } from '../language/language';
import { formatNumber } from '../language/times';
import type { ListQuery } from './list-query';

export type Choices = readonly (readonly [value: string, text: string])[];

const TYPING_PAUSE_MS = 300;

/** A row of filters, with a way to clear them; behind a button on narrow screens. */
export function Filters({ list, children }: { list: ListQuery; children: ComponentChildren }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const { filterCount } = list;
  return (
    <form class="filters" role="search" aria-label={t.lists.filters} onSubmit={(event) => event.preventDefault()}>
      <button type="button" class="button filters-toggle" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        {t.lists.filters} {filterCount > 0 && `(${formatNumber(filterCount)})`}
      </button>
      <div id={id} class={isOpen ? 'filters-fields is-open' : 'filters-fields'}>
        {children}
      </div>
      {filterCount > 0 && (
        <button type="button" class="button" onClick={list.clear}>
          {t.lists.clear}
        </button>
      )}
    </form>
  );
}

/** Rarely needed filters, collapsed unless one of them is in the URL. */
export function MoreFilters({ list, names, children }: { list: ListQuery; names: readonly string[]; children: ComponentChildren }) {
  return (
    <details class="more-filters" open={names.some((name) => name in list.query)}>
      <summary>{t.lists.more}</summary>
      <div class="filters">{children}</div>
    </details>
  );
}

interface FindFieldProps {
  list: ListQuery;
  name: string;
  label: string;
  suggestions?: readonly string[];
}

/** Applies the filter when the user stops typing. */
export function FindField({ list, name, label, suggestions }: FindFieldProps) {
  const id = useId();
  const asked = list.query[name] ?? '';
  const [text, setText] = useState(asked);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setText(asked), [asked]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (value: string): void => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => list.change({ [name]: value.slice(0, 128) }), TYPING_PAUSE_MS);
  };
  return (
    <div class="field field-grow">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="search"
        value={text}
        autocomplete="off"
        maxLength={128}
        list={suggestions && `${id}-names`}
        onInput={(event) => type(event.currentTarget.value)}
      />
      {suggestions && (
        <datalist id={`${id}-names`}>
          {suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </div>
  );
}

export function ChoiceField({ list, name, label, choices }: { list: ListQuery; name: string; label: string; choices: Choices }) {
  return (
    <Select
      label={label}
      value={list.query[name] ?? ''}
      choices={[['', t.lists.any], ...choices]}
      onChange={(value) => list.change({ [name]: value })}
    />
  );
}

export function DayField({ list, name, label }: { list: ListQuery; name: string; label: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} type="date" value={list.query[name] ?? ''} onChange={(event) => list.change({ [name]: event.currentTarget.value })} />
    </div>
  );
}

/** The first choice is the API's default order. */
export function OrderFields({ list, choices }: { list: ListQuery; choices: Choices }) {
  const first = choices[0]?.[0] ?? '';
  return (
    <>
      <Select
        label={t.lists.orderby}
        value={list.query.orderby ?? first}
        choices={choices}
        onChange={(value) => list.change({ orderby: value === first ? '' : value })}
      />
      <Select
        label={t.lists.sort}
        value={list.query.sort ?? 'asc'}
        choices={[
          ['asc', t.lists.asc],
          ['desc', t.lists.desc],
        ]}
        onChange={(value) => list.change({ sort: value })}
      />
    </>
  );
}

function Select({
  label,
  value,
  choices,
  onChange,
}: {
  label: string;
  value: string;
  choices: Choices;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {choices.map(([each, text]) => (
          <option key={each} value={each}>
            {visible(text)}
          </option>
        ))}
      </select>
    </div>
  );
}
