import { CallerText } from '../language/caller-text';
import { isolated, t, textFor } from '../language/language';
import { formatNumber, Time } from '../language/times';
import type { LiveEvent } from '../live/live-feed';
import { useSession } from '../session/session';
import { RecordLink } from '../records/record-link';

/** Known fields of an event's data; extensions may have others. */
interface Data {
  host?: unknown;
  name?: unknown;
  changed?: unknown;
  message_id?: unknown;
  handler_id?: unknown;
  outcome?: unknown;
  status?: unknown;
  code?: unknown;
  problem?: unknown;
  collection?: unknown;
  inserted?: unknown;
  updated?: unknown;
  bad?: unknown;
}

/** Who did what to which record. */
export function EventItem({ event }: { event: LiveEvent }) {
  const { identity } = useSession();
  const { type, datetime, actor } = event;
  return (
    <li class="event">
      <p class="event-title">
        <strong>{eventText(type)}</strong>{' '}
        <span class="line">
          <Subject event={event} />
        </span>
      </p>
      <Facts type={type} data={event.data} />
      <p class="muted event-by">
        <Time value={datetime} isRelative />
        {actor && (
          <>
            {' '}
            ·{' '}
            {actor.type === 'key'
              ? t.events.byKey(actor.id === identity.id ? isolated(identity.name) : String(actor.id))
              : t.events.by[actor.type]}
          </>
        )}
      </p>
    </li>
  );
}

export function eventText(type: string): string {
  return textOrName(t.events.types, type);
}

/** A deleted record has no page, so its name comes from the event; a delivery is named by its message. */
function Subject({ event: { record, type, data } }: { event: LiveEvent }) {
  const { host, name, message_id } = data as Data;
  if (!record) return null;
  if (type.endsWith('.deleted') || record.type === 'key') return <CallerText text={text(host) ?? text(name) ?? formatNumber(record.id)} />;
  if (record.type === 'delivery' && typeof message_id === 'number')
    return (
      <>
        <RecordLink type="delivery" id={record.id} /> · <RecordLink type="message" id={message_id} />
      </>
    );
  return <RecordLink type={record.type} id={record.id} />;
}

function Facts({ type, data }: { type: string; data: Data }) {
  const { changed, handler_id, outcome, status, code, problem, collection, inserted, updated, bad } = data;
  if (Array.isArray(changed) && changed.length > 0)
    return (
      <p>
        {t.events.changed}: {changed.map((field) => fieldText(String(field))).join(', ')}
      </p>
    );
  if (typeof handler_id === 'number')
    return (
      <p class="line">
        {typeof outcome === 'string' && outcome !== 'delivered' ? `${textOrName(t.deliveries.outcomes, outcome)} ·` : t.events.through}
        <RecordLink type="notification_handler" id={handler_id} />
      </p>
    );
  if (type === 'delivery.receipt')
    return (
      <p>
        {t.deliveries.receipt}: {textOrName(t.deliveries.receipts, String(status))}
        {typeof code === 'number' && ` ${t.deliveries.receiptCode(String(code))}`}
      </p>
    );
  if (type === 'domain.certificate')
    return <p>{typeof problem === 'string' ? textOrName(t.domains.problems, problem) : t.events.certificateSolved}</p>;
  if (type === 'import.completed') return <p>{t.events.imported(String(collection), count(inserted), count(updated), count(bad))}</p>;
  return null;
}

const fieldText = (field: string): string => textOrName(t.events.fields, field);
const textOrName = (texts: Readonly<Record<string, string>>, name: string): string => textFor(texts, name) ?? name;
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const count = (value: unknown): string => formatNumber(typeof value === 'number' ? value : 0);
