import { useCallback, useMemo } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';

export type Query = Readonly<Record<string, string>>;

export interface ListQuery {
  /** The URL's parameters, as the API expects them; names that the list doesn't have are omitted. */
  query: Query;
  /** Changes parameters, and removes those with an empty value. Returns to page 1 unless `page` changes. */
  change: (changes: Query) => void;
  clear: () => void;
  /** Number of filters set, without page, size and order. */
  filterCount: number;
}

const PAGING_PARAMETERS = ['page', 'results_per_page', 'orderby', 'sort'];

/**
 * Keeps the API's parameters in the URL. `filters` are the parameters that this list accepts, in addition to page and order; `defaults` are
 * sent for parameters missing from the URL.
 */
export function useListQuery(filters: readonly string[], defaults: Query = {}): ListQuery {
  const [parameters, setParameters] = useSearchParams();
  const text = parameters.toString();
  const query = useMemo(() => {
    const entries = [...parameters].filter(([name, value]) => value !== '' && (PAGING_PARAMETERS.includes(name) || filters.includes(name)));
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
    setParameters(new URLSearchParams(Object.entries(query).filter(([name]) => PAGING_PARAMETERS.includes(name) && name !== 'page')));
  }, [query]);
  return { query, change, clear, filterCount: filters.filter((name) => name in query).length };
}
