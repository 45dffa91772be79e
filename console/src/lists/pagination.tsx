import { Link, useLocation } from 'wouter-preact';
import type { Schemas } from '../api/api';
import { t } from '../language/language';
import { formatNumber } from '../language/times';
import type { ListQuery } from './list-query';

/** The only sizes that the API accepts. */
const PAGE_SIZES = [10, 25, 50, 100, 250, 500, 1000] as const;

export function Pagination({ list, meta }: { list: ListQuery; meta: Schemas['PageMeta'] }) {
  const { page, total_pages } = meta;
  if (meta.total <= PAGE_SIZES[0] && page === 1) return null;
  return (
    <nav class="pagination" aria-label={t.lists.pages}>
      <PageLink list={list} page={Math.min(page - 1, total_pages)} isPossible={page > 1} text={t.lists.previous} />
      <span>{t.lists.page(formatNumber(page), formatNumber(total_pages))}</span>
      <PageLink list={list} page={page + 1} isPossible={page < total_pages} text={t.lists.next} />
      <label class="page-size">
        {t.lists.perPage}
        <select value={meta.results_per_page} onChange={(event) => list.change({ results_per_page: event.currentTarget.value })}>
          {PAGE_SIZES.map((size) => (
            <option key={size}>{size}</option>
          ))}
        </select>
      </label>
    </nav>
  );
}

function PageLink({ list, page, isPossible, text }: { list: ListQuery; page: number; isPossible: boolean; text: string }) {
  const [path] = useLocation();
  if (!isPossible)
    return (
      <span class="button is-disabled" role="link" aria-disabled="true">
        {text}
      </span>
    );
  const parameters = new URLSearchParams({ ...list.query, page: String(page) });
  return (
    <Link class="button" href={`${path}?${parameters}`}>
      {text}
    </Link>
  );
}
