import { CopyButton } from '../forms/copy-button';
import { t } from '../language/language';
import type { Verification } from './domain-reads';

export function DnsRecords({ records }: { records: Verification['records'] }) {
  return (
    <section class="card">
      <h2>{t.domains.records}</h2>
      <p class="muted">{t.domains.recordsText}</p>
      <table class="table" aria-label={t.domains.records}>
        <thead>
          <tr>
            <th scope="col">{t.domains.recordType}</th>
            <th scope="col">{t.domains.recordName}</th>
            <th scope="col">{t.domains.recordValue}</th>
          </tr>
        </thead>
        <tbody>
          {records.map(({ type, name, value }) => (
            <tr key={`${type} ${value}`}>
              <th scope="row" class="nowrap">
                {type}
              </th>
              <td data-label={t.domains.recordName}>
                <Copyable value={name} of={`${type} ${t.domains.recordName}`} />
              </td>
              <td data-label={t.domains.recordValue}>
                <Copyable value={value} of={`${type} ${t.domains.recordValue}`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {records.every(({ type }) => type === 'TXT') && <p class="notice">{t.domains.noTarget}</p>}
    </section>
  );
}

function Copyable({ value, of }: { value: string; of: string }) {
  return (
    <div class="copyable">
      <code>{value}</code>
      <CopyButton value={value} of={of} />
    </div>
  );
}
