import { t } from '../language/language';
import { formatNumber } from '../language/times';
import type { ListQuery } from '../lists/list-query';
import { RECORD_SOURCES } from '../records/record-names';
import { useSession } from '../session/session';
import { eventText } from './event-item';

const EVENT_NOUNS = ['domain', 'notification_handler', 'message', 'delivery', 'import', 'key'] as const;

/** Checkboxes for the API's `types` parameter: all types of a noun, or single ones. */
export function TypeFilter({ list }: { list: ListQuery }) {
  const { may } = useSession();
  const chosen = list.query.types?.split(',') ?? [];
  const change = (types: readonly string[]): void => list.change({ types: types.join(',') });
  const toggle = (type: string): void => {
    const others = chosen.filter((each) => each !== type && !matchesPattern(each, type) && !matchesPattern(type, each));
    change(chosen.includes(type) ? others : [...others, type]);
  };
  const visible = EVENT_NOUNS.filter((noun) =>
    noun === 'key' ? may('keys:write') : !RECORD_SOURCES[noun] || may(RECORD_SOURCES[noun].scope),
  );
  const unknown = chosen.filter((type) => !visible.some((noun) => type.startsWith(`${noun}.`)));
  const box = (type: string, text: string) => (
    <label key={type} class="choosable">
      <input type="checkbox" class="choice-box" checked={chosen.includes(type)} onChange={() => toggle(type)} />
      {text}
    </label>
  );
  return (
    <details class="types">
      <summary class="button">{chosen.length === 0 ? t.events.allTypes : t.events.chosenTypes(formatNumber(chosen.length))}</summary>
      <div class="card type-groups">
        {visible.map((noun) => (
          <fieldset key={noun}>
            <legend>{t.events.nouns[noun]}</legend>
            {box(`${noun}.*`, t.events.all)}
            {Object.keys(t.events.types)
              .filter((type) => type.startsWith(`${noun}.`))
              .map((type) => box(type, eventText(type)))}
          </fieldset>
        ))}
        {unknown.length > 0 && (
          <fieldset>
            <legend>{t.events.otherTypes}</legend>
            {unknown.map((type) => box(type, type))}
          </fieldset>
        )}
      </div>
    </details>
  );
}

/** For example, whether `domain.created` matches `domain.*`. */
function matchesPattern(type: string, pattern: string): boolean {
  return pattern.endsWith('.*') && type !== pattern && type.startsWith(pattern.slice(0, -1));
}

/** Whether the API would return an event of this type for this `types` parameter. */
export function matchesTypes(type: string, types: string | undefined): boolean {
  return !types || types.split(',').some((each) => each === type || matchesPattern(type, each));
}
