import { ErrorNotice } from '../api/error-text';
import { useRead } from '../api/use-read';
import { locale, t } from '../language/language';
import { useLive } from '../live/live';
import { lazyPage } from '../shell/lazy-page';
import { readStatistics } from './statistics';

const DeliveryChart = lazyPage(() => import('./delivery-chart'), ChartSkeleton);

const HOUR = new Intl.DateTimeFormat(locale, { hour: 'numeric' });
const DAY_AND_HOUR = new Intl.DateTimeFormat(locale, { weekday: 'short', hour: 'numeric', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'numeric' });
const FULL_DAY = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short' });

/** Deliveries of the last hours and days, by outcome. */
export function Charts() {
  const { data, error, reload } = useRead('statistics', (api, signal) => readStatistics(api, signal));
  useLive('delivery.', reload);
  useLive('message.', reload);
  if (error !== undefined && !data) return <ErrorNotice error={error} retry={reload} />;
  const skeleton = [1, 2].map((each) => <ChartSkeleton key={each} />);
  return (
    <div class="charts">
      {!data && skeleton}
      {data && (
        <>
          <DeliveryChart title={t.overview.lastHours} buckets={data.hours} tick={HOUR} full={DAY_AND_HOUR} />
          <DeliveryChart title={t.overview.lastDays} buckets={data.days} tick={DAY} full={FULL_DAY} />
        </>
      )}
    </div>
  );
}

/** About as high as a chart, so that little moves when the chart appears. */
function ChartSkeleton() {
  return (
    <div class="card chart" role="status">
      <span class="visually-hidden">{t.shell.loading}</span>
      <div class="skeleton-block" aria-hidden="true">
        <span class="skeleton" />
        <span class="skeleton chart-skeleton" />
      </div>
    </div>
  );
}
