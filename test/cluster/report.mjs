import { format } from 'prettier';

const LONGEST_GAP_SECONDS = 3;
const ALLOWED = /^503 /;

/** The figures as Markdown, and whether all bounds are met. */
export async function report({ times, writers, arrivals, check, errors, from, to }) {
  const gap = longestGap(writers.successes, from, to);
  const others = writers.failures.filter(({ problem }) => !ALLOWED.test(problem));
  const bounds = [
    bound('acknowledged writes lost', '0', check.lost.length, check.lost.length === 0),
    bound('writes doubled', '0', check.doubled.length, check.doubled.length === 0),
    bound('longest time without a write', `at most ${LONGEST_GAP_SECONDS} s`, seconds(gap), gap <= LONGEST_GAP_SECONDS * 1_000),
    bound('failures that clients saw', 'only 503', counted(writers.failures) || 'none', others.length === 0),
    bound('nodes hold the same at the end', 'yes', check.agree ? 'yes' : 'no', check.agree),
    ...arrivals.map(({ what, bound: least, figure, isMet }) => bound(what, least, figure, isMet)),
  ];
  const faults = times.map(({ name, node, next, backAfter, ...span }) => [
    `${node} ${name}`,
    next,
    within(writers.successes, span).length,
    seconds(longestGap(writers.successes, span.from, span.to)),
    counted(writers.failures.filter(({ at }) => at >= span.from && at <= span.to)) || 'none',
    seconds(backAfter),
  ]);
  const parts = [
    `${writers.successes.length} writes in ${seconds(to - from)}, by eight writers through two processes of the service.`,
    table(['the writer', 'writes then went to', 'writes', 'longest gap', 'failures that clients saw', 'a member again after'], faults),
    table(
      ['bound', '', 'measured', 'met'],
      bounds.map(({ cells }) => cells),
    ),
    `Logged by the services: ${list(errors) || 'no errors'}.`,
    ...[...check.lost.map((name) => `Lost: ${name}`), ...check.doubled.map((name) => `Doubled: ${name}`)].slice(0, 20),
  ];
  return { text: await format(parts.join('\n\n'), { parser: 'markdown' }), isMet: bounds.every(({ isMet }) => isMet) };
}

function bound(name, least, measured, isMet) {
  return { isMet, cells: [name, least, measured, isMet ? 'yes' : '**no**'] };
}

function longestGap(successes, from, to) {
  const times = [from, ...within(successes, { from, to }), to];
  return Math.max(...times.slice(1).map((time, index) => time - times[index]));
}

function within(times, { from, to }) {
  return times.filter((time) => time >= from && time <= to);
}

function counted(failures) {
  const counts = {};
  for (const { problem } of failures) counts[problem] = (counts[problem] ?? 0) + 1;
  return list(counts);
}

function list(counts) {
  return Object.entries(counts)
    .map(([name, count]) => `${name} × ${count}`)
    .join(', ');
}

function seconds(milliseconds) {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}

function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
