import type { Api, Schemas } from '../api/api';
import { t } from '../language/language';
import { parseTime } from '../language/times';

type Outcome = Schemas['AttemptRecord']['outcome'];
export type Failure = Exclude<Outcome, 'delivered'>;
/** Deliveries by the outcome of their last attempt; `pending` and `cancelled` count those that were never attempted. */
export type Counts = Record<Outcome | 'pending' | 'cancelled', number>;

const OUTCOMES = Object.keys(t.deliveries.outcomes) as Outcome[];
export const FAILURES = OUTCOMES.filter((outcome): outcome is Failure => outcome !== 'delivered');
const COUNT_KEYS: readonly (keyof Counts)[] = [...OUTCOMES, 'pending', 'cancelled'];

/** Counts of one hour or day. */
export interface Bucket {
  start: Date;
  counts: Counts;
}

const HOUR_MS = 3_600_000;
const DAYS = 30;
const HOURS = 24;

/** Deliveries of the last 24 hours and 30 days. Read by hour, because days begin at midnight in the user's time zone, not in UTC. */
export async function readStatistics(api: Api, signal: AbortSignal): Promise<{ hours: Bucket[]; days: Bucket[] }> {
  const now = Date.now();
  const first = new Date(now);
  first.setDate(first.getDate() - (DAYS - 1));
  first.setHours(0, 0, 0, 0);
  const range = { from: format(first), until: format(new Date(now + HOUR_MS)), interval: 'hour' } as const;
  const read = async (group: 'outcome' | 'status') =>
    (await api.get('/api/deliveries/statistics', { query: { ...range, group }, signal })).data;
  const [byOutcome, byStatus] = await Promise.all([read('outcome'), read('status')]);
  const hours = byOutcome.buckets.map(({ datetime, counts }, index) => ({
    start: parseTime(datetime),
    counts: countsOf(toNamedCounts(byOutcome.keys, counts), toNamedCounts(byStatus.keys, byStatus.buckets[index]?.counts ?? [])),
  }));
  return { hours: hours.slice(-HOURS), days: daysOf(hours) };
}

export function totalOf(buckets: readonly Bucket[]): Counts {
  return buckets.reduce((sum, { counts }) => add(sum, counts), ZERO_COUNTS);
}

export function failuresIn(counts: Counts): number {
  return FAILURES.reduce((sum, outcome) => sum + counts[outcome], 0);
}

const ZERO_COUNTS = Object.fromEntries(COUNT_KEYS.map((key) => [key, 0])) as Counts;

function daysOf(hours: readonly Bucket[]): Bucket[] {
  const days = new Map<number, Bucket>();
  for (const { start, counts } of hours) {
    const day = new Date(start);
    day.setHours(0, 0, 0, 0);
    days.set(day.getTime(), { start: day, counts: add(days.get(day.getTime())?.counts ?? ZERO_COUNTS, counts) });
  }
  return [...days.values()];
}

type NamedCounts = Readonly<Partial<Record<string, number>>>;

/**
 * The API counts all deliveries without an outcome together; the counts by status tell pending from cancelled ones. Unsuccessful attempts
 * that exceed the failed deliveries are assumed to belong to pending ones.
 */
function countsOf(outcomes: NamedCounts, states: NamedCounts): Counts {
  const known = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, outcomes[outcome] ?? 0]));
  const counts = { ...ZERO_COUNTS, ...known };
  const { none = 0 } = outcomes;
  const { pending = 0, failed = 0 } = states;
  const tried = Math.max(failuresIn(counts) - failed, 0);
  counts.pending = Math.min(Math.max(pending - tried, 0), none);
  counts.cancelled = none - counts.pending;
  return counts;
}

function toNamedCounts(keys: readonly string[], counts: readonly number[]): NamedCounts {
  return Object.fromEntries(keys.map((key, index) => [key, counts[index] ?? 0]));
}

function add(one: Counts, other: Counts): Counts {
  return Object.fromEntries(COUNT_KEYS.map((key) => [key, one[key] + other[key]])) as Counts;
}

/** The beginning of the date's hour, `YYYY-MM-DD HH:00:00` in UTC. */
function format(date: Date): string {
  return `${date.toISOString().slice(0, 13).replace('T', ' ')}:00:00`;
}
