import { Domain } from '../../src/domains/domain.entity';
import type { TestApplication } from './application';
import { newHost } from './records';

const CHUNK = 400;

/** Domains with one of sixty times each, and without a last one where `isNull` says so; `count` is a multiple of 400. */
export async function insertDomains(
  { dataSource }: TestApplication,
  account_id: number,
  count: number,
  isNull: (index: number) => boolean = () => true,
): Promise<void> {
  const common = { account_id, scheme: 'https://', custom_index_url: '', custom_not_found_url: '', is_enabled: true };
  for (let first = 0; first < count; first += CHUNK) {
    const rows = Array.from({ length: CHUNK }, (_, index) => {
      const datetime = `2026-01-01 00:00:${String((first + index) % 60).padStart(2, '0')}`;
      return { ...common, host: newHost(), datetime, last_datetime: isNull(first + index) ? null : datetime };
    });
    await dataSource.manager.insert(Domain, rows);
  }
}
