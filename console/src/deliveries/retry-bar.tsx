import { ErrorNotice } from '../api/error-text';
import { t } from '../language/language';
import { formatNumber } from '../language/times';
import type { ListQuery } from '../lists/list-query';
import { useSession } from '../session/session';
import { type Delivery, retryEach, retryMatching } from './delivery-reads';
import { useRetries } from './use-retries';

interface RetryBarProps {
  list: ListQuery;
  /** The deliveries on this page that can be retried. */
  failed: readonly Delivery[];
  chosen: readonly Delivery[];
  /** Number of failed deliveries on all pages. */
  total: number;
  onChoose: (ids: readonly number[]) => void;
  onRetried: () => void;
}

/** Always rendered, so that the focus and the result stay in place. */
export function RetryBar({ list, failed, chosen, total, onChoose, onRetried }: RetryBarProps) {
  const { api } = useSession();
  const { run, isRunning, result, error } = useRetries(() => {
    onChoose([]);
    onRetried();
  });
  const areAllChosen = failed.length > 0 && chosen.length === failed.length;
  const isOnlyFailed = list.query.status === 'failed';
  return (
    <section class="retry-bar" aria-label={t.deliveries.retrying}>
      <div class="actions">
        <label class="choosable">
          <input
            type="checkbox"
            class="choice-box"
            checked={areAllChosen}
            disabled={failed.length === 0}
            onChange={() => onChoose(areAllChosen ? [] : failed.map(({ id }) => id))}
          />
          {t.deliveries.chooseAll}
        </label>
        <button
          type="button"
          class="button"
          aria-disabled={isRunning || chosen.length === 0}
          onClick={() => chosen.length > 0 && run(() => retryEach(api, chosen))}
        >
          {t.deliveries.retryChosen(formatNumber(chosen.length))}
        </button>
        {isOnlyFailed && (
          <button
            type="button"
            class="button"
            aria-disabled={isRunning || total === 0}
            onClick={() => total > 0 && run(() => retryMatching(api, list.query))}
          >
            {t.deliveries.retryAll(formatNumber(total))}
          </button>
        )}
        <span role="status">{isRunning ? t.deliveries.retryRunning : result}</span>
      </div>
      {error !== undefined && <ErrorNotice error={error} />}
    </section>
  );
}
