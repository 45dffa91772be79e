import { type EnvironmentReader, parseInteger } from './environment';

/** How deliveries are attempted. */
export interface DeliverySettings {
  /** Milliseconds before each next attempt; one attempt more than waits. */
  waitsMs: readonly number[];
  /** Attempts at once in this process; 0: only tests. */
  concurrency: number;
  /** Per account and UTC day, by handler type; a type that is missing is unlimited. */
  dailyLimits: ReadonlyMap<string, number>;
  /** Days that finished deliveries are kept. */
  keepDays: number;
}

/** The handler types. Configuration imports no area; a test compares this list with theirs. */
export const LIMITED_TYPES = ['email', 'webhook', 'slack', 'discord', 'telegram', 'microsoft_teams', 'twilio', 'twilio_call', 'whatsapp'];

const DEFAULT_WAITS = '5,30,120,600,1800,7200,21600,43200';
const DEFAULT_LIMITS = 'email=1000,twilio=200,twilio_call=50,whatsapp=200';
const MAX_WAITS = 20;
const MAX_WAIT_SECONDS = 2_592_000;
const MAX_LIMIT = 1_000_000_000;
const MAX_KEEP_DAYS = 36_500;

const WAITS_FORM = `1 to ${MAX_WAITS} whole numbers of seconds from 0 to ${MAX_WAIT_SECONDS}, comma-separated`;
const LIMITS_FORM = `<type>=<number> from 0 to ${MAX_LIMIT}, comma-separated, each type once; types: ${LIMITED_TYPES.join(', ')}`;

export function readDeliverySettings(read: EnvironmentReader): DeliverySettings {
  return {
    waitsMs: read.value('DELIVERY_WAITS', DEFAULT_WAITS, WAITS_FORM, parseWaits),
    concurrency: read.integer('DELIVERY_CONCURRENCY', 256, 0, 1_000),
    dailyLimits: read.value('DELIVERY_DAILY_LIMIT', DEFAULT_LIMITS, LIMITS_FORM, parseLimits),
    keepDays: read.integer('DELIVERY_KEEP_DAYS', 30, 1, MAX_KEEP_DAYS),
  };
}

function parseWaits(text: string): number[] | undefined {
  const seconds = text.split(',').map((item) => parseInteger(item.trim(), 0, MAX_WAIT_SECONDS));
  const waits = seconds.filter((wait) => wait !== undefined);
  return waits.length === seconds.length && waits.length <= MAX_WAITS ? waits.map((wait) => wait * 1_000) : undefined;
}

function parseLimits(text: string): Map<string, number> | undefined {
  const limits = new Map<string, number>();
  for (const item of text.split(',')) {
    const [, type, digits] = /^(\w+)=(\d+)$/.exec(item.trim()) ?? [];
    const limit = parseInteger(digits ?? '', 0, MAX_LIMIT);
    if (limit === undefined || !LIMITED_TYPES.includes(type) || limits.has(type)) return undefined;
    limits.set(type, limit);
  }
  return limits;
}
