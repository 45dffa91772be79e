import { randomBytes } from 'node:crypto';
import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions, type TableOptions } from 'typeorm';
import { MYSQL_TABLE } from '../mysql/mysql.dialect';
import { bigint, flag, generatedId, index, integer, key, nullable, reference, text, time, unique, varchar } from './columns';

const datetime = time('datetime');
const lastDatetime = time('last_datetime', true);
const isEnabled = flag('is_enabled');
const searchedName = [varchar('name', 128), { ...varchar('name_folded', 384), default: "''" }];

type Keys = Pick<TableOptions, 'foreignKeys' | 'indices'> & { id?: string };

/** A table of accounts' records. */
function ofAccounts(name: string, columns: TableColumnOptions[], { id = 'id', foreignKeys = [], indices = [] }: Keys = {}) {
  return {
    name,
    columns: [generatedId(id), integer('account_id'), ...columns],
    foreignKeys: [reference('account_id', 'accounts'), ...foreignKeys],
    indices: [index('account_id', id), ...indices],
  };
}

/** A text, and its folded copy, which may be three times as long. */
function searched(name: string, length: number): TableColumnOptions[] {
  return [varchar(name, length), varchar(`${name}_folded`, 3 * length)];
}

/** Indexes for lists in these orders. */
function ordered(...columns: string[]) {
  return columns.map((column) => index('account_id', column));
}

const ACCOUNTS: TableOptions[] = [
  {
    name: 'accounts',
    columns: [generatedId(), varchar('name', 128), time('disabled_datetime', true), datetime],
    indices: [unique('name')],
  },
  {
    name: 'api_keys',
    columns: [
      ...[generatedId(), integer('account_id'), varchar('name', 128), varchar('key_hash', 64), varchar('scopes', 512)],
      { ...flag('has_all_scopes'), default: 0 },
      ...[time('expires_datetime', true), time('last_used_datetime', true), time('revoked_datetime', true), datetime],
    ],
    foreignKeys: [reference('account_id', 'accounts')],
    indices: [unique('key_hash'), index('account_id')],
  },
];

const AREAS: TableOptions[] = [
  ofAccounts(
    'domains',
    [
      ...[varchar('scheme', 8), varchar('host', 253), varchar('custom_index_url', 2048), varchar('custom_not_found_url', 2048)],
      ...[isEnabled, lastDatetime, datetime],
    ],
    { indices: [unique('host'), ...ordered('host', 'datetime', 'last_datetime')] },
  ),
  {
    name: 'domain_verifications',
    columns: [
      ...[generatedId(), integer('account_id'), integer('domain_id'), varchar('host', 253), varchar('status', 8), flag('is_by_operator')],
      ...[bigint('begun'), integer('looks'), nullable(bigint('checked')), nullable(bigint('due')), integer('misses')],
      ...[nullable(bigint('last_miss')), nullable(bigint('lost')), text('problems')],
    ],
    foreignKeys: [reference('account_id', 'accounts'), { ...reference('domain_id', 'domains'), onDelete: 'CASCADE' }],
    indices: [unique('domain_id'), index('account_id', 'due'), index('due')],
  },
  { name: 'verification_keys', columns: [key(integer('id')), text('secret')] },
  ofAccounts('notification_handlers', [varchar('type', 32), ...searchedName, text('settings'), isEnabled, lastDatetime, datetime], {
    indices: ordered('name_folded', 'type', 'datetime', 'last_datetime'),
  }),
  ofAccounts('signing_secrets', [integer('handler_id'), text('secret'), time('replaced_datetime', true), datetime], {
    foreignKeys: [{ ...reference('handler_id', 'notification_handlers'), onDelete: 'CASCADE' }],
    indices: [index('handler_id')],
  }),
  ofAccounts('campaigns', [varchar('name', 128), isEnabled, datetime]),
  ofAccounts(
    'notifications',
    [
      ...[integer('campaign_id'), varchar('notification_key', 32), ...searchedName, varchar('type', 64), text('settings')],
      ...[isEnabled, lastDatetime, datetime],
    ],
    {
      foreignKeys: [reference('campaign_id', 'campaigns')],
      indices: [unique('notification_key'), index('campaign_id'), ...ordered('name_folded', 'type', 'datetime', 'last_datetime')],
    },
  ),
];

const SCHEDULING: TableOptions[] = [
  ofAccounts('servicos', searched('servico_nome', 128), { id: 'servicos_id', indices: ordered('servico_nome_folded') }),
  ofAccounts('atendentes', [...searched('atendente_nome', 128), ...searched('atendente_cargo', 128), flag('atendente_diponivel')], {
    id: 'atendentes_id',
    indices: ordered('atendente_nome_folded', 'atendente_cargo_folded', 'atendente_diponivel'),
  }),
  ofAccounts('atendenteservico', [integer('atendentes_id'), integer('servicos_id')], {
    id: 'atendenteservico_id',
    foreignKeys: [reference('atendentes_id', 'atendentes', 'atendentes_id'), reference('servicos_id', 'servicos', 'servicos_id')],
    indices: [index('atendentes_id'), index('servicos_id')],
  }),
  ofAccounts('horarios', [...searched('horario_id', 64), flag('horario_disponivel')], {
    id: 'horarios_id',
    indices: ordered('horario_id_folded', 'horario_disponivel'),
  }),
  ofAccounts(
    'agendamentos',
    [...searched('nome', 128), ...searched('telefone', 32), time('data_hora'), integer('servicos_id'), integer('atendentes_id')],
    {
      id: 'agendamento_id',
      foreignKeys: [reference('servicos_id', 'servicos', 'servicos_id'), reference('atendentes_id', 'atendentes', 'atendentes_id')],
      indices: [...ordered('nome_folded', 'telefone_folded', 'data_hora'), index('servicos_id'), index('atendentes_id')],
    },
  ),
];

const DELIVERIES: TableOptions[] = [
  ofAccounts(
    'messages',
    [
      ...[varchar('title', 200), text('text'), varchar('url', 2048), nullable(varchar('traceparent', 55)), nullable(text('event'))],
      ...[nullable(bigint('send_at')), nullable(bigint('expires_at')), { ...integer('repeats'), default: 0 }, datetime],
    ],
    { indices: ordered('datetime') },
  ),
  {
    name: 'message_keys',
    columns: [key(varchar('key_hash', 64)), integer('account_id'), integer('message_id'), bigint('until')],
    indices: [index('account_id'), index('until')],
  },
  ofAccounts(
    'deliveries',
    [
      ...[integer('message_id'), integer('handler_id'), varchar('type', 32), varchar('lane', 64), varchar('status', 16)],
      ...[
        integer('attempts'),
        integer('tries'),
        nullable(bigint('next_attempt')),
        nullable(varchar('lease', 36)),
        nullable(bigint('begun')),
      ],
      ...[flag('is_counted'), nullable(varchar('outcome', 32)), varchar('part', 16), nullable(bigint('send_at'))],
      ...[nullable(bigint('expires_at')), nullable(integer('cancelled_by')), nullable(varchar('event_id', 40))],
      ...[nullable(varchar('receipt', 255)), lastDatetime, datetime],
    ],
    {
      foreignKeys: [reference('message_id', 'messages')],
      indices: [
        ...[index('account_id', 'datetime', 'id', 'status', 'outcome', 'handler_id'), ...ordered('status', 'outcome')],
        ...[index('lane', 'lease', 'next_attempt'), index('message_id', 'status'), index('handler_id'), index('expires_at')],
      ],
    },
  ),
  ofAccounts(
    'delivery_attempts',
    [
      ...[integer('delivery_id'), integer('number'), datetime, integer('duration_ms'), varchar('outcome', 32)],
      ...[nullable(integer('status')), varchar('detail', 255)],
    ],
    { foreignKeys: [reference('delivery_id', 'deliveries')], indices: [index('delivery_id')] },
  ),
  {
    name: 'delivery_lanes',
    columns: [
      ...[integer('account_id'), key(varchar('lane', 64)), nullable(bigint('available')), bigint('paused_until'), flag('is_slow')],
      ...[nullable(integer('last_ms')), bigint('last_claim')],
    ],
    indices: [index('is_slow', 'available'), index('account_id', 'is_slow', 'available')],
  },
  {
    name: 'receipts',
    columns: [key(varchar('sid', 64)), nullable(integer('delivery_id')), nullable(varchar('receipt', 255)), datetime],
    foreignKeys: [{ ...reference('delivery_id', 'deliveries'), onDelete: 'CASCADE' }],
    indices: [index('delivery_id', 'datetime')],
  },
  { name: 'installations', columns: [key(integer('id')), varchar('part', 16)] },
];

const EVENTS: TableOptions[] = [
  {
    name: 'audit',
    columns: [
      ...[datetime, integer('account_id'), nullable(integer('key_id')), varchar('action', 16), varchar('record', 32)],
      ...[nullable(integer('record_id')), nullable(varchar('request_id', 128)), nullable(bigint('number'))],
      ...[{ ...flag('is_audited'), default: 1 }, { ...flag('is_by_service'), default: 0 }, nullable(text('data'))],
      nullable(varchar('host', 253)),
    ],
    indices: [index('number'), index('account_id', 'number')],
  },
  { name: 'event_log', columns: [key(integer('id')), bigint('last'), bigint('floor'), varchar('secret', 64)] },
  { name: 'event_epochs', columns: [key(varchar('name', 16)), bigint('start')] },
  { name: 'event_cursors', columns: [key(integer('account_id')), bigint('number'), bigint('event_id')] },
  {
    name: 'handler_events',
    columns: [key(integer('handler_id')), integer('account_id'), text('types'), bigint('since')],
    foreignKeys: [{ ...reference('handler_id', 'notification_handlers'), onDelete: 'CASCADE' }],
    indices: [index('account_id')],
  },
];

const BOOKKEEPING: TableOptions[] = [
  {
    name: 'idempotency_keys',
    columns: [key(varchar('key_hash', 64)), integer('account_id'), varchar('fingerprint', 64), integer('record_id'), datetime],
    indices: [index('account_id'), index('datetime')],
  },
  {
    name: 'list_changes',
    columns: [
      ...[integer('account_id'), varchar('list', 64), integer('shard')].map(key),
      ...['inserted', 'deleted', 'updated', 'uncounted'].map(bigint),
    ],
  },
  { name: 'scheduled_jobs', columns: [key(varchar('name', 64)), bigint('due'), integer('failures')] },
  { name: 'quota_counts', columns: [key(integer('account_id')), key(varchar('name', 64)), bigint('started'), integer('number')] },
  { name: 'extensions', columns: [key(varchar('name', 64)), text('parts'), datetime] },
];

const SECRET_BYTES = 32;
const EPOCH_BYTES = 5;
export class InitialSchema1795200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of [...ACCOUNTS, ...AREAS, ...SCHEDULING, ...DELIVERIES, ...EVENTS, ...BOOKKEEPING]) {
      const columns = table.name === 'audit' ? [eventId(runner), ...table.columns!] : table.columns;
      await runner.createTable(new Table({ ...table, columns, engine: MYSQL_TABLE }));
    }
    const secret = randomBytes(SECRET_BYTES).toString('hex');
    await runner.query('INSERT INTO event_log (id, last, floor, secret) VALUES (1, 0, 0, ?)', [secret]);
    await runner.query('INSERT INTO event_epochs (name, start) VALUES (?, 1)', [randomBytes(EPOCH_BYTES).toString('hex')]);
  }

  /** A step back is a restored backup (docs/versions.md). */
  down(): Promise<void> {
    return Promise.reject(new Error('Restore a backup instead.'));
  }
}

/** 64 bits; SQLite's integers have them. */
function eventId(runner: QueryRunner): TableColumnOptions {
  return runner.dataSource.options.type === 'mysql' ? { ...generatedId(), type: 'bigint', unsigned: true } : generatedId();
}
