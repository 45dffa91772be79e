import { useCallback, useMemo } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';

export type Query = Readonly<Record<string, string>>;

export interface ListQuery {
  /** What the address says, as the interface takes it; names that the list doesn't have are left out. */
  query: Query;
  /** Replaces some of it; an empty value goes. Begins at page 1 again, unless `page` is what changes. */
  change: (changes: Query) => void;
  clear: () => void;
  /** How many filters are set; page, size and order are none. */
  filterCount: number;
}

const PAGING = ['page', 'results_per_page', 'orderby', 'sort'];

/**
 * The interface's own parameters, in the address bar. `filters` are the names that this list takes beside pages and orders;
 * `defaults` are sent where the address says nothing.
 */
export function useListQuery(filters: readonly string[], defaults: Query = {}): ListQuery {
  const [parameters, setParameters] = useSearchParams();
  const text = parameters.toString();
  const query = useMemo(() => {
    const entries = [...parameters].filter(([name, value]) => value !== '' && (PAGING.includes(name) || filters.includes(name)));
    return { ...defaults, ...Object.fromEntries(entries) };
  }, [text]);
  const change = useCallback(
    (changes: Query) => {
      const usual: Query = { sort: 'asc', ...defaults };
      const next = Object.entries({ ...query, page: '', ...changes }).filter(([name, value]) => value !== '' && value !== usual[name]);
      setParameters(new URLSearchParams(next));
    },
    [query],
  );
  const clear = useCallback(() => {
    setParameters(new URLSearchParams(Object.entries(query).filter(([name]) => PAGING.includes(name) && name !== 'page')));
  }, [query]);
  return { query, change, clear, filterCount: filters.filter((name) => name in query).length };
}
