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

const SECONDS = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200];

export function readDeliverySettings(): DeliverySettings {
  return { waitsMs: SECONDS.map((seconds) => seconds * 1_000), concurrency: 32, dailyLimits: new Map(), keepDays: 30 };
}
