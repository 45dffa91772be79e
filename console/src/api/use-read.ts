import { useCallback, useEffect, useState } from 'preact/hooks';
import { useSession } from '../session/session';
import type { Api } from './api';

export interface Read<T> {
  /** Result of the last successful read; kept while reading again. */
  data: T | undefined;
  error: unknown;
  isLoading: boolean;
  reload: () => void;
}

/** Reads when `key` changes, and on `reload`; a superseded read is aborted. `key` must identify everything that `read` depends on. */
export function useRead<T>(key: string, read: (api: Api, signal: AbortSignal) => Promise<T>): Read<T> {
  const { api } = useSession();
  const [reads, setReads] = useState(0);
  const [state, setState] = useState<{ key: string; data?: T; error?: unknown; isLoading: boolean }>({ key, isLoading: true });
  useEffect(() => {
    const aborter = new AbortController();
    setState((before) => ({ ...(before.key === key ? before : { key }), isLoading: true }));
    read(api, aborter.signal).then(
      (data) => !aborter.signal.aborted && setState({ key, data, isLoading: false }),
      (error: unknown) => !aborter.signal.aborted && setState((before) => ({ ...before, error, isLoading: false })),
    );
    return () => aborter.abort();
  }, [api, key, reads]);
  const reload = useCallback(() => setReads((count) => count + 1), []);
  const isCurrent = state.key === key;
  return { data: isCurrent ? state.data : undefined, error: isCurrent ? state.error : undefined, isLoading: state.isLoading, reload };
}
