import { t } from '../language/language';

/** As high as the rows that it stands for. */
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

export function BlockSkeleton() {
  return (
    <div class="card" role="status">
      <span class="visually-hidden">{t.shell.loading}</span>
      <div class="skeleton-block" aria-hidden="true">
        <span class="skeleton" />
        <span class="skeleton" />
        <span class="skeleton" />
      </div>
    </div>
  );
}
