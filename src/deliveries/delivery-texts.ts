import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../platform/common/time';
import type { EndReason, Until } from './delivery.entity';
import type { EventText } from '../platform/database/events/event-types';

/** The facts about a delivery that its descriptions use. */
export interface DescribedDelivery {
  /** Title of the message; may be empty. */
  title: string;
  text: string;
  url: string;
  /** Null when the handler has been deleted. */
  handlerName: string | null;
  handlerType: string;
  /** Why the delivery was cancelled. */
  reason: string;
  /** The attempts that have ended, newest last. */
  log: readonly { datetime: string; outcome: string; detail: string }[];
  /** The event's data: for a receipt, what Twilio has reported. */
  report: { status?: unknown; code?: unknown };
}

const EVENT_TITLES: Record<string, string> = {
  'delivery.delivered': 'Message delivered',
  'delivery.failed': 'Delivery failed',
  'delivery.cancelled': 'Delivery cancelled',
  'delivery.retried': 'Delivery retried',
  'delivery.receipt': 'Delivery receipt',
};
const MAX_EXCERPT_LENGTH = 80;
const COUNT_WORDS = ['', '', 'twice', 'three times', 'four times', 'five times', 'six times', 'seven times', 'eight times', 'nine times'];
const UNITS: [ms: number, name: string][] = [
  [DAY_MS, 'day'],
  [HOUR_MS, 'hour'],
  [MINUTE_MS, 'minute'],
  [SECOND_MS, 'second'],
];

/** Describes a delivery's events for people. */
export function describeDelivery(type: string, delivery: DescribedDelivery): EventText | undefined {
  const title = EVENT_TITLES[type];
  if (!title) return undefined;
  const message = `"${excerpt(delivery.title || delivery.text)}"`;
  const handler = `${delivery.handlerName ?? 'a deleted handler'} (${delivery.handlerType})`;
  const texts: Record<string, string> = {
    'delivery.delivered': `${message} was delivered by ${handler}.`,
    'delivery.failed': `${message} could not be delivered by ${handler}${reasonOf(delivery)}`,
    'delivery.cancelled': `${message} is no longer delivered by ${handler}: ${delivery.reason}.`,
    'delivery.retried': `${message} is delivered by ${handler} once more.`,
    'delivery.receipt': `Twilio reports on ${message} by ${handler}: ${reportOf(delivery)}.`,
  };
  return { title, text: texts[type], url: delivery.url };
}

export function reasonOfCancellation(end: EndReason | null, until: Until | null): string {
  if (end === null) return 'the handler was disabled, changed or deleted';
  if (end === 'cancelled') return 'the message was cancelled';
  return until === 'acknowledged' ? 'the message was acknowledged' : 'an earlier step was delivered';
}

function reportOf({ report: { status, code } }: DescribedDelivery): string {
  return typeof code === 'number' ? `${String(status)}, error ${code}` : String(status);
}

/** For example: `: the receiver answered 500, nine times in 21 hours.`, or `: it expired after the receiver answered 500.` */
function reasonOf({ log }: DescribedDelivery): string {
  if (log.at(-1)?.outcome !== 'expired') return log.length === 0 ? '.' : `: ${answersOf(log)}.`;
  const attempts = log.filter(({ outcome }) => outcome !== 'expired');
  return attempts.length === 0 ? ': it expired first.' : `: it expired after ${answersOf(attempts)}.`;
}

/** For example: `the receiver answered 500, nine times in 21 hours`. */
function answersOf(log: DescribedDelivery['log']): string {
  const last = log[log.length - 1];
  const sentence = last.detail.replace(/\.$/, '');
  const detail = /^[A-Z][a-z]*\b/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence; // keeps "TLS"
  if (log.length === 1) return detail;
  const count = COUNT_WORDS[log.length] ?? `${log.length} times`;
  return `${detail}, ${count} in ${durationBetween(log[0].datetime, last.datetime)}`;
}

function durationBetween(first: string, last: string): string {
  const ms = Math.max(SECOND_MS, Date.parse(`${last}Z`) - Date.parse(`${first}Z`));
  const [unit, name] = UNITS.find(([each]) => ms >= each)!;
  const count = Math.round(ms / unit);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** A text's first line, shortened. */
export function excerpt(text: string): string {
  const [line] = text.split('\n');
  const characters = [...line];
  return characters.length > MAX_EXCERPT_LENGTH ? `${characters.slice(0, MAX_EXCERPT_LENGTH - 1).join('')}…` : line;
}
