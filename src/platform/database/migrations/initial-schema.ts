import { randomBytes } from 'node:crypto';
import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions, type TableOptions } from 'typeorm';
import {
  bigint,
  flag,
  generatedId,
  index,
  integer,
  primaryKey,
  MYSQL_TABLE,
  nullable,
  reference,
  text,
  time,
  unique,
  varchar,
} from './columns';

type Keys = Pick<TableOptions, 'foreignKeys' | 'indices'>;

function table(name: string, columns: TableColumnOptions[], keys: Keys = {}): TableOptions {
  return { name, columns, ...keys };
}

/** A table of records that belong to accounts. */
function owned(name: string, columns: TableColumnOptions[], { id = 'id', foreignKeys = [], indices = [] }: Keys & { id?: string } = {}) {
  return table(name, [generatedId(id), accountId, ...columns], {
    foreignKeys: [reference('account_id', 'accounts'), ...foreignKeys],
    indices: [index('account_id', id), ...indices],
  });
}

/** A text column, and one for its folded copy, which may be three times as long. */
function searched(name: string, length: number, folded: Partial<TableColumnOptions> = {}): TableColumnOptions[] {
  return [varchar(name, length), { ...varchar(`${name}_folded`, 3 * length), ...folded }];
}

/** Indexes for lists ordered by these columns. */
function ordered(...columns: string[]) {
  return columns.map((column) => index('account_id', column));
}

function cascading(column: string, to: string) {
  return { ...reference(column, to), onDelete: 'CASCADE' };
}

const accountId = integer('account_id');
const isEnabled = flag('is_enabled');
const times = [time('last_datetime', true), time('datetime')];
const datetime = time('datetime');
const name = varchar('name', 128);
const searchedName = searched('name', 128, { default: "''" });

const ACCOUNTS = [
  table('accounts', [generatedId(), name, time('disabled_datetime', true), datetime], { indices: [unique('name')] }),
  table(
    'api_keys',
    [
      generatedId(),
      accountId,
      name,
      varchar('key_hash', 64),
      varchar('scopes', 512),
      { ...flag('has_all_scopes'), default: 0 },
      time('expires_datetime', true),
      time('last_used_datetime', true),
      time('revoked_datetime', true),
      datetime,
    ],
    { foreignKeys: [reference('account_id', 'accounts')], indices: [unique('key_hash'), index('account_id')] },
  ),
];

const AREAS = [
  owned(
    'domains',
    [
      varchar('scheme', 8),
      varchar('host', 253),
      varchar('custom_index_url', 2048),
      varchar('custom_not_found_url', 2048),
      isEnabled,
      ...times,
    ],
    { indices: [unique('host'), ...ordered('host', 'datetime', 'last_datetime')] },
  ),
  table(
    'domain_verifications',
    [
      generatedId(),
      accountId,
      integer('domain_id'),
      varchar('host', 253),
      varchar('status', 8),
      flag('is_by_operator'),
      bigint('started'),
      integer('checks'),
      nullable(bigint('checked')),
      nullable(bigint('due')),
      integer('misses'),
      nullable(bigint('last_miss')),
      nullable(bigint('lost')),
      text('problems'),
      nullable(text('certificate')),
    ],
    {
      foreignKeys: [reference('account_id', 'accounts'), cascading('domain_id', 'domains')],
      indices: [unique('domain_id'), index('account_id', 'due'), index('due')],
    },
  ),
  table('stored_keys', [primaryKey(integer('id')), text('secret')]),
  owned('notification_handlers', [varchar('type', 32), ...searchedName, text('settings'), isEnabled, ...times], {
    indices: ordered('name_folded', 'type', 'datetime', 'last_datetime'),
  }),
  owned('signing_secrets', [integer('handler_id'), text('secret'), time('replaced_datetime', true), datetime], {
    foreignKeys: [cascading('handler_id', 'notification_handlers')],
    indices: [index('handler_id')],
  }),
  owned('campaigns', [name, isEnabled, datetime]),
  owned(
    'notifications',
    [integer('campaign_id'), varchar('notification_key', 32), ...searchedName, varchar('type', 64), text('settings'), isEnabled, ...times],
    {
      foreignKeys: [reference('campaign_id', 'campaigns')],
      indices: [unique('notification_key'), index('campaign_id'), ...ordered('name_folded', 'type', 'datetime', 'last_datetime')],
    },
  ),
];

const ofServico = reference('servicos_id', 'servicos', 'servicos_id');
const ofAtendente = reference('atendentes_id', 'atendentes', 'atendentes_id');

const SCHEDULING = [
  owned('servicos', searched('servico_nome', 128), { id: 'servicos_id', indices: ordered('servico_nome_folded') }),
  owned('atendentes', [...searched('atendente_nome', 128), ...searched('atendente_cargo', 128), flag('atendente_diponivel')], {
    id: 'atendentes_id',
    indices: ordered('atendente_nome_folded', 'atendente_cargo_folded', 'atendente_diponivel'),
  }),
  owned('atendenteservico', [integer('atendentes_id'), integer('servicos_id')], {
    id: 'atendenteservico_id',
    foreignKeys: [ofAtendente, ofServico],
    indices: [index('atendentes_id'), index('servicos_id')],
  }),
  owned('horarios', [...searched('horario_id', 64), flag('horario_disponivel')], {
    id: 'horarios_id',
    indices: ordered('horario_id_folded', 'horario_disponivel'),
  }),
  owned(
    'agendamentos',
    [...searched('nome', 128), ...searched('telefone', 32), time('data_hora'), integer('servicos_id'), integer('atendentes_id')],
    {
      id: 'agendamento_id',
      foreignKeys: [ofServico, ofAtendente],
      indices: [...ordered('nome_folded', 'telefone_folded', 'data_hora'), index('servicos_id'), index('atendentes_id')],
    },
  ),
];

const DELIVERIES = [
  owned(
    'messages',
    [
      varchar('title', 200),
      text('text'),
      varchar('url', 2048),
      nullable(varchar('traceparent', 55)),
      nullable(text('event')),
      nullable(bigint('send_at')),
      nullable(bigint('expires_at')),
      nullable(varchar('until', 16)),
      nullable(varchar('acknowledged', 64)),
      { ...integer('repeats'), default: 0 },
      datetime,
      nullable(text('content_folded')),
    ],
    { indices: ordered('datetime') },
  ),
  table('message_keys', [primaryKey(varchar('key_hash', 64)), accountId, integer('message_id'), bigint('until')], {
    indices: [index('account_id'), index('until')],
  }),
  owned(
    'deliveries',
    [
      integer('message_id'),
      integer('handler_id'),
      { ...integer('step'), default: 0 },
      varchar('type', 32),
      varchar('lane', 64),
      varchar('status', 16),
      varchar('part', 16),
      integer('attempts'),
      integer('tries'),
      flag('is_counted'),
      { ...flag('has_content'), default: 0 },
      ...['next_attempt', 'started', 'send_at'].map((name) => nullable(bigint(name))),
      ...[varchar('lease', 36), varchar('outcome', 32)].map(nullable),
      ...[bigint('expires_at'), integer('cancelled_by'), varchar('cancelled_as', 16)].map(nullable),
      ...[varchar('event_id', 40), varchar('until', 16), varchar('receipt', 255)].map(nullable),
      ...times,
    ],
    {
      foreignKeys: [reference('message_id', 'messages')],
      indices: [
        index('account_id', 'datetime', 'id', 'status', 'outcome', 'handler_id'),
        ...ordered('status', 'outcome'),
        index('lane', 'lease', 'next_attempt'),
        index('message_id', 'status'),
        index('handler_id'),
        index('expires_at'),
      ],
    },
  ),
  owned(
    'delivery_attempts',
    [
      integer('delivery_id'),
      integer('number'),
      datetime,
      integer('duration_ms'),
      varchar('outcome', 32),
      nullable(integer('status')),
      varchar('detail', 255),
    ],
    { foreignKeys: [reference('delivery_id', 'deliveries')], indices: [index('delivery_id')] },
  ),
  table(
    'delivery_lanes',
    [
      accountId,
      primaryKey(varchar('lane', 64)),
      nullable(bigint('available')),
      bigint('paused_until'),
      flag('is_slow'),
      nullable(integer('last_ms')),
      bigint('last_claim'),
    ],
    { indices: [index('is_slow', 'available'), index('account_id', 'is_slow', 'available')] },
  ),
  table('receipts', [primaryKey(varchar('sid', 64)), nullable(integer('delivery_id')), nullable(varchar('receipt', 255)), datetime], {
    foreignKeys: [cascading('delivery_id', 'deliveries')],
    indices: [index('delivery_id', 'datetime')],
  }),
  table('installations', [primaryKey(integer('id')), varchar('part', 16)]),
];

const ofHandler = { foreignKeys: [cascading('handler_id', 'notification_handlers')], indices: [index('account_id')] };
const REPLAY = [
  ...['number', 'event_id', 'end_number', 'end_event_id', 'share_ends'].map(bigint),
  ...['sent', 'share'].map(integer),
  ...['min_datetime', 'max_datetime', 'from_datetime', 'until_datetime'].map((name) => time(name)),
];

const EVENTS = [
  table(
    'events',
    [
      datetime,
      accountId,
      nullable(integer('key_id')),
      varchar('action', 16),
      varchar('record', 32),
      nullable(integer('record_id')),
      nullable(varchar('request_id', 128)),
      nullable(bigint('number')),
      { ...flag('is_audited'), default: 1 },
      { ...flag('is_by_service'), default: 0 },
      nullable(text('data')),
      nullable(varchar('host', 253)),
    ],
    { indices: [index('number'), index('account_id', 'number')] },
  ),
  table('event_log', [primaryKey(integer('id')), bigint('last'), bigint('floor'), varchar('secret', 64)]),
  table('event_epochs', [primaryKey(varchar('name', 16)), bigint('start')]),
  table('event_cursors', [primaryKey(accountId), bigint('number'), bigint('event_id')]),
  table('handler_events', [primaryKey(integer('handler_id')), accountId, text('types'), bigint('since')], ofHandler),
  table('handler_replays', [primaryKey(integer('handler_id')), accountId, ...REPLAY], ofHandler),
];

const RESULT = [integer('record_id'), { ...flag('is_repeat'), default: 0 }];
const BOOKKEEPING = [
  table('idempotency_keys', [primaryKey(varchar('key_hash', 64)), accountId, varchar('fingerprint', 64), ...RESULT, datetime], {
    indices: [index('account_id'), index('datetime')],
  }),
  table('list_changes', [
    ...[accountId, varchar('list', 64), integer('shard')].map(primaryKey),
    ...['inserted', 'deleted', 'updated', 'uncounted'].map(bigint),
  ]),
  table('scheduled_jobs', [primaryKey(varchar('name', 64)), bigint('due'), integer('failures')]),
  table('quota_counts', [primaryKey(accountId), primaryKey(varchar('name', 64)), bigint('started'), integer('number')]),
];

const SECRET_BYTES = 32;
const EPOCH_BYTES = 5;
export class InitialSchema1795200050600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const options of [...ACCOUNTS, ...AREAS, ...SCHEDULING, ...DELIVERIES, ...EVENTS, ...BOOKKEEPING]) {
      const columns = options.name === 'events' ? [eventId(runner), ...options.columns!] : options.columns;
      await runner.createTable(new Table({ ...options, columns, engine: MYSQL_TABLE }));
    }
    const secret = randomBytes(SECRET_BYTES).toString('hex');
    await runner.query('INSERT INTO event_log (id, last, floor, secret) VALUES (1, 0, 0, ?)', [secret]);
    await runner.query('INSERT INTO event_epochs (name, start) VALUES (?, 1)', [randomBytes(EPOCH_BYTES).toString('hex')]);
  }

  /** A downgrade across it needs a restored backup (docs/reference/versions.md). */
  down(): Promise<void> {
    return Promise.reject(new Error('Restore a backup instead.'));
  }
}

/** A 64-bit id. SQLite's integers already are. */
function eventId(runner: QueryRunner): TableColumnOptions {
  return runner.dataSource.options.type === 'mysql' ? { ...generatedId(), type: 'bigint', unsigned: true } : generatedId();
}
