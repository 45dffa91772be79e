import type { ComponentChildren } from 'preact';
import { ErrorNotice } from '../api/error-text';
import type { Schemas } from '../api/api';
import type { Read } from '../api/use-read';
import { t } from '../language/language';
import { Brief, formatNumber } from '../language/times';
import type { ListQuery } from './list-query';
import { Pagination } from './pagination';
import { TableSkeleton } from './skeletons';
import { usePhone } from './use-phone';

export interface Column<R> {
  label: string;
  /** The first column's cell is the record's name, a link to it. On phones, empty cells are omitted. */
  cell: (record: R) => ComponentChildren;
  /** On phones, whether the cell is beside the name, like a status; other cells are on the line below. */
  isAside?: boolean;
  /** On phones, whether the label is visible because the value is unclear without it; other labels are for screen readers only. */
  isLabelled?: boolean;
}

interface ListViewProps<R> {
  /** The table's accessible name. */
  label: string;
  list: ListQuery;
  read: Read<{ data: R[]; meta: Schemas['PageMeta'] }>;
  columns: readonly Column<R>[];
  /** Shown while there are no records: what the list is for, and the first step. */
  empty: ComponentChildren;
}

/** A table; on phones, a list with two lines per record. */
export function ListView<R extends { id: number }>({ label, list, read, columns, empty }: ListViewProps<R>) {
  const { data: page, error, reload, isLoading } = read;
  const isPhone = usePhone();
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
      {page.data.length > 0 && isPhone && (
        <ul class="rows" aria-label={label} aria-busy={isLoading}>
          {page.data.map((record) => (
            <PhoneRow key={record.id} record={record} columns={columns} />
          ))}
        </ul>
      )}
      {page.data.length > 0 && !isPhone && (
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
        <td key={column.label}>{column.cell(record)}</td>
      ))}
    </tr>
  );
}

function PhoneRow<R>({ record, columns }: { record: R; columns: readonly Column<R>[] }) {
  const [first, ...rest] = columns;
  const cells = (isAside: boolean) =>
    rest
      .filter((column) => (column.isAside ?? false) === isAside)
      .map((column) => ({ ...column, content: column.cell(record) }))
      .filter(({ content }) => content !== null && content !== '')
      .map(({ label, isLabelled, content }) => (
        <span key={label} class="row-cell">
          <span class={isLabelled ? undefined : 'visually-hidden'}>{label}: </span>
          {content}
        </span>
      ));
  const below = cells(false);
  return (
    <li class="row">
      <div class="row-head">
        <span class="row-name">{first?.cell(record)}</span>
        {cells(true)}
      </div>
      {below.length > 0 && (
        <div class="row-below">
          <Brief.Provider value>{below}</Brief.Provider>
        </div>
      )}
    </li>
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
