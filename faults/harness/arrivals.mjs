import { none, tested } from './table.mjs';

/**
 * Table rows that compare arrivals with acknowledged deliveries. A delivery may arrive again only if a process was killed between its last
 * arrival and the recording of the response, `noted` milliseconds after the response. `kills` are `{ from, to }`, before the signal and
 * after the exit.
 */
export function compareArrivals({ acknowledged, arrivals, kills = [], noted = 0, paths, where }) {
  const byTarget = groupBy(arrivals, ({ text, path }) => `${text} ${path}`);
  const expected = [...acknowledged].flatMap(([text, handlers]) => handlers.map((handler) => `${text} ${paths.get(handler)}`));
  const lost = expected.filter((target) => !byTarget.has(target));
  const doubled = [...byTarget.values()].filter((group) => new Set(group.map(({ id }) => id)).size > 1);
  const repeated = repetitions(arrivals);
  const unexplained = repeated.filter(
    ([before, after]) => !kills.some((kill) => isInProgress(before, kill, noted) && after.arrived >= kill.from),
  );
  return [
    tested(`acknowledged deliveries, ${where}`, expected.length),
    none(`acknowledged deliveries that never arrived, ${where}`, lost.length),
    none(`messages that arrived under two webhook-ids, ${where}`, doubled.length),
    ...(kills.length > 0 ? [tested(`arrivals repeated after a kill, ${where}`, repeated.length)] : []),
    none(kills.length > 0 ? `repeated although not in progress at a kill, ${where}` : `sent twice, ${where}`, unexplained.length),
  ];
}

/** Pairs of consecutive arrivals of one delivery. */
function repetitions(arrivals) {
  const groups = groupBy(arrivals, ({ id }) => id).values();
  return [...groups].flatMap((group) => group.slice(1).map((arrival, index) => [group[index], arrival]));
}

function isInProgress({ arrived, answered }, { from, to }, noted) {
  return arrived <= to && (answered ?? to) + noted >= from;
}

function groupBy(values, keyOf) {
  const groups = new Map();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}
