import { t } from '../language/language';

/** A placeholder as high as the rows that it replaces. */
export function TableSkeleton({ columns, rows = 6 }: { columns: number; rows?: number }) {
  return (
    <div class="skeleton-table" role="status">
      <span class="visually-hidden">{t.shell.loading}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} class="skeleton-row" aria-hidden="true">
          {Array.from({ length: columns }, (_each, column) => (
            <span key={column} class="skeleton" />
          ))}
        </div>
      ))}
    </div>
  );
}

/** A placeholder for a page's cards. */
export function BlockSkeleton() {
  return (
    <div class="skeleton-block" role="status">
      <span class="visually-hidden">{t.shell.loading}</span>
      {[3, 4, 5].map((lines) => (
        <div key={lines} class="card" aria-hidden="true">
          {Array.from({ length: lines }, (_, line) => (
            <span key={line} class="skeleton" />
          ))}
        </div>
      ))}
    </div>
  );
}
