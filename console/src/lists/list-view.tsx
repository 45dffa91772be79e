import type { ComponentChildren } from 'preact';
import { ErrorNotice } from '../api/error-text';
import type { Schemas } from '../api/api';
import type { Read } from '../api/use-read';
import { t } from '../language/language';
import { formatNumber } from '../language/times';
import type { ListQuery } from './list-query';
import { Pagination } from './pagination';
import { TableSkeleton } from './skeletons';

export interface Column<R> {
  label: string;
  /** The first column names the record, and links to it. */
  cell: (record: R) => ComponentChildren;
}

interface ListViewProps<R> {
  /** Names the table. */
  label: string;
  list: ListQuery;
  read: Read<{ data: R[]; meta: Schemas['PageMeta'] }>;
  columns: readonly Column<R>[];
  /** What the list is for and the first step, while it has no record at all. */
  empty: ComponentChildren;
}

/** A table, which becomes cards on narrow screens: every cell carries its column's name. */
export function ListView<R extends { id: number }>({ label, list, read, columns, empty }: ListViewProps<R>) {
  const { data: page, error, reload, isLoading } = read;
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (!page) return <TableSkeleton columns={columns.length} />;
  const { total } = page.meta;
  const isFiltered = list.filterCount > 0;
  return (
    <>
      <p class="muted" role="status">
        {total === 0 && isFiltered ? t.lists.none : t.lists.count(total, formatNumber(total))}
      </p>
      {total === 0 && !isFiltered && empty}
      {page.data.length > 0 && (
        <table class="table" aria-label={label} aria-busy={isLoading}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.label} scope="col">
                  {column.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {page.data.map((record) => (
              <Row key={record.id} record={record} columns={columns} />
            ))}
          </tbody>
        </table>
      )}
      <Pagination list={list} meta={page.meta} />
    </>
  );
}

function Row<R>({ record, columns }: { record: R; columns: readonly Column<R>[] }) {
  const [first, ...rest] = columns;
  return (
    <tr>
      <th scope="row">{first?.cell(record)}</th>
      {rest.map((column) => (
        <td key={column.label} data-label={column.label}>
          {column.cell(record)}
        </td>
      ))}
    </tr>
  );
}

export function EmptyState({ title, text, children }: { title: string; text: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  );
}
