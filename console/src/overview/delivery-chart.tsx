import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { t } from '../language/language';
import { formatNumber } from '../language/times';
import { type Bucket, type Counts, FAILURES, type Failure, failuresIn, totalOf } from './statistics';

interface ChartProps {
  title: string;
  buckets: readonly Bucket[];
  /** Formats the beginning of a bucket for the axis; `full` formats it for the table and the caption. */
  tick: Intl.DateTimeFormat;
  full: Intl.DateTimeFormat;
}

const HEIGHT = 200;

/** From the bottom up. All failures share one colour; the legend counts them by kind. */
const SEGMENTS = [
  { name: 'delivered', text: t.deliveries.outcomes.delivered, count: ({ delivered }: Counts) => delivered },
  { name: 'failed', text: t.overview.lastAttemptFailed, count: failuresIn },
  { name: 'pending', text: t.deliveries.status.pending, count: ({ pending }: Counts) => pending },
  { name: 'cancelled', text: t.deliveries.status.cancelled, count: ({ cancelled }: Counts) => cancelled },
] as const;

/** Stacked bars. A canvas has no text for screen readers, so a table below has the same numbers. */
export default function DeliveryChart({ title, buckets, tick, full }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const [pointed, setPointed] = useState<number | null>(null);
  const latest = useRef(buckets);
  latest.current = buckets;

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const opened = new uPlot(optionsOf(element.clientWidth, latest, tick, setPointed), dataOf(latest.current), element);
    plot.current = opened;
    const observer = new ResizeObserver(() => opened.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = (): void => opened.redraw(false, true);
    scheme.addEventListener('change', redraw);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', redraw);
      opened.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData(dataOf(buckets)), [buckets]);

  const shown = pointed === null ? undefined : buckets[pointed];
  const all = totalOf(buckets);
  const totals = shown?.counts ?? all;
  const failures = FAILURES.filter((outcome) => all[outcome] > 0);
  return (
    <section class="card chart">
      <h2>{title}</h2>
      <div class="chart-legend">
        {SEGMENTS.map(({ name, text, count }) => (
          <span key={name} class="legend-entry">
            <span class={`swatch swatch-${name}`} aria-hidden="true" />
            {text} <strong>{formatNumber(count(totals))}</strong>
          </span>
        ))}
      </div>
      {failures.length > 0 && (
        <ul class="chart-legend chart-failures" aria-label={t.overview.lastAttemptFailed}>
          {failures.map((outcome) => (
            <li key={outcome}>
              {t.deliveries.outcomes[outcome]} <strong>{formatNumber(totals[outcome])}</strong>
            </li>
          ))}
        </ul>
      )}
      <div ref={frame} class="chart-frame" aria-hidden="true" />
      <p class="muted chart-moment" aria-hidden="true">
        {shown ? full.format(shown.start) : ' '}
      </p>
      <details>
        <summary>{t.overview.asTable}</summary>
        <NumbersTable title={title} buckets={buckets} full={full} failures={failures} />
      </details>
    </section>
  );
}

/** Scrolls horizontally where it is wider than its card, and says so. */
function NumbersTable({ title, buckets, full, failures }: Omit<ChartProps, 'tick'> & { failures: readonly Failure[] }) {
  const columns: [text: string, key: keyof Counts][] = [
    ...(['delivered', ...failures] as const).map((outcome): [string, keyof Counts] => [t.deliveries.outcomes[outcome], outcome]),
    [t.deliveries.status.pending, 'pending'],
    [t.deliveries.status.cancelled, 'cancelled'],
  ];
  const region = useRef<HTMLDivElement>(null);
  const [isCut, setCut] = useState(false);
  useEffect(() => {
    const element = region.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setCut(element.scrollWidth > element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <>
      {isCut && <p class="hint">{t.overview.scrolls}</p>}
      <div ref={region} class="numbers" role="region" aria-label={title} tabIndex={0}>
        <table aria-label={title}>
          <thead>
            <tr>
              <th scope="col">{t.overview.time}</th>
              {columns.map(([text, key]) => (
                <th key={key} scope="col">
                  {text}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {buckets.toReversed().map(({ start, counts }) => (
              <tr key={start.getTime()}>
                <th scope="row">{full.format(start)}</th>
                {columns.map(([, key]) => (
                  <td key={key}>{formatNumber(counts[key])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Each series is the sum of its segment and those below; the highest is drawn first. */
function dataOf(buckets: readonly Bucket[]): uPlot.AlignedData {
  const sums = buckets.map(({ counts }) =>
    SEGMENTS.map((_, index) => SEGMENTS.slice(0, index + 1).reduce((sum, { count }) => sum + count(counts), 0)),
  );
  return [buckets.map((_, index) => index), ...SEGMENTS.map((_, index) => sums.map((sum) => sum[index] || null)).reverse()];
}

function optionsOf(
  width: number,
  latest: { current: readonly Bucket[] },
  tick: Intl.DateTimeFormat,
  onPointed: (index: number | null) => void,
): uPlot.Options {
  const muted = (): string => colour('--text-muted');
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const bars = uPlot.paths.bars?.({ size: [0.75, 40] });
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: () => [-0.5, latest.current.length - 0.5] },
      y: { range: (_plot, _min, max) => [0, Math.max(4, max * 1.05)] },
    },
    axes: [
      {
        stroke: muted,
        font,
        size: 28,
        grid: { show: false },
        ticks: { show: false },
        space: 48,
        incrs: [1, 2, 3, 4, 6, 7, 8, 12, 14],
        values: (_plot, splits) => splits.map((index) => tickText(latest.current[index], tick)),
      },
      {
        stroke: muted,
        font,
        size: 44,
        grid: { stroke: () => colour('--border'), width: 1 },
        ticks: { show: false },
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6],
        values: (_plot, splits) => splits.map((count) => COMPACT.format(count)),
      },
    ],
    series: [
      {},
      ...SEGMENTS.toReversed().map(({ name }) => ({
        paths: bars,
        points: { show: false },
        fill: () => colour(`--chart-${name}`),
        stroke: () => colour('--surface'),
        width: 1,
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onPointed(cursor.idx ?? null)] },
  };
}

const COMPACT = new Intl.NumberFormat(undefined, { notation: 'compact' });

function tickText(bucket: Bucket | undefined, tick: Intl.DateTimeFormat): string {
  return bucket ? tick.format(bucket.start) : '';
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name);
}
