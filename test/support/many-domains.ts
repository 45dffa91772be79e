import { Domain } from '../../src/domains/domain.entity';
import type { TestApplication } from './application';
import { newHost } from './records';
import { insertRows } from './insert-rows';

/** Domains with one of sixty times each, and without a last one where `isNull` says so. */
export async function insertDomains(
  { dataSource }: TestApplication,
  account_id: number,
  count: number,
  isNull: (index: number) => boolean = () => true,
): Promise<void> {
  const common = { account_id, scheme: 'https://', custom_index_url: '', custom_not_found_url: '', is_enabled: true };
  const rows = Array.from({ length: count }, (_, index) => {
    const datetime = `2026-01-01 00:00:${String(index % 60).padStart(2, '0')}`;
    return { ...common, host: newHost(), datetime, last_datetime: isNull(index) ? null : datetime };
  });
  await insertRows(dataSource, Domain, rows);
}
