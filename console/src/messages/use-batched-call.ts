import { useCallback, useEffect, useRef } from 'preact/hooks';

const PAUSE_MS = 1_000;

/** Combines all calls within a second into one, because a thousand deliveries of a message may finish at once. */
export function useBatchedCall(call: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = useRef(call);
  latest.current = call;
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, PAUSE_MS);
  }, []);
}
