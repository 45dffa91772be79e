import { useState } from 'preact/hooks';
import { t } from '../language/language';
import { formatNumber } from '../language/times';
import type { RetryResult } from './delivery-reads';

/** Runs retries, one call at a time, and reports their results. */
export function useRetries(onRetried: () => void) {
  const [isRunning, setRunning] = useState(false);
  const [result, setResult] = useState('');
  const [error, setError] = useState<unknown>();
  const run = (retry: () => Promise<RetryResult>): void => {
    if (isRunning) return;
    setRunning(true);
    setResult('');
    setError(undefined);
    retry()
      .then((done) => setResult(describe(done)))
      .catch(setError)
      .finally(() => {
        setRunning(false);
        onRetried(); // some may have been retried before one failed
      });
  };
  return { run, isRunning, result, error };
}

function describe({ retried, skipped }: RetryResult): string {
  const sentences = skipped.map(({ reason, count }) => t.deliveries.skipped(count, formatNumber(count), t.deliveries.skipReasons[reason]));
  return [t.deliveries.retried(retried, formatNumber(retried)), ...sentences].join(' ');
}
