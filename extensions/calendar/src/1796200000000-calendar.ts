import { flag, generatedId, index, integer, MYSQL_TABLE, nullable, reference, time, unique, varchar } from 'frontdesk';
import { type MigrationInterface, type QueryRunner, Table, type TableOptions } from 'typeorm';

const OF_ACCOUNT = [generatedId(), integer('account_id'), time('last_datetime', true), time('datetime')];
const APPOINTMENT = [
  integer('agendamento_id'),
  integer('atendentes_id'),
  integer('servicos_id'),
  time('data_hora'),
  varchar('servico_nome', 128),
  varchar('atendente_nome', 128),
];

const FEEDS: TableOptions = {
  name: 'calendar_feeds',
  columns: [
    ...OF_ACCOUNT,
    varchar('name', 128),
    varchar('name_folded', 384),
    nullable(integer('atendente_id')),
    nullable(integer('servico_id')),
    integer('duration'),
    varchar('timezone', 64),
    varchar('language', 8),
    flag('hide_names'),
    varchar('token_hash', 64),
    integer('state'),
  ],
  foreignKeys: [reference('account_id', 'accounts')],
  indices: [unique('token_hash'), ...['id', 'name_folded', 'datetime', 'last_datetime'].map((column) => index('account_id', column))],
};

const APPOINTMENTS: TableOptions = {
  name: 'calendar_appointments',
  columns: [
    generatedId(),
    integer('account_id'),
    ...APPOINTMENT,
    varchar('nome', 128),
    varchar('telefone', 32),
    varchar('uid', 36),
    integer('sequence'),
    time('modified'),
    time('cancelled', true),
  ],
  foreignKeys: [reference('account_id', 'accounts')],
  indices: [
    unique('account_id', 'agendamento_id', 'atendentes_id', 'servicos_id'),
    ...['data_hora', 'cancelled'].map((column) => index('account_id', column)),
  ],
};

const REMINDERS: TableOptions = {
  name: 'calendar_reminders',
  columns: [
    ...OF_ACCOUNT,
    integer('calendar_feed_id'),
    varchar('times_before', 64),
    nullable(integer('atendente_id')),
    nullable(integer('servico_id')),
  ],
  foreignKeys: [reference('account_id', 'accounts'), { ...reference('calendar_feed_id', 'calendar_feeds'), onDelete: 'CASCADE' }],
  indices: [index('calendar_feed_id'), ...['id', 'datetime', 'last_datetime'].map((column) => index('account_id', column))],
};

const DUE: TableOptions = {
  name: 'calendar_due_appointments',
  columns: [
    ...OF_ACCOUNT,
    integer('appointment_reminder_id'),
    integer('minutes'),
    ...APPOINTMENT,
    nullable(varchar('nome', 128)),
    nullable(varchar('telefone', 32)),
    varchar('starts', 32),
    varchar('language', 8),
  ],
  foreignKeys: [
    reference('account_id', 'accounts'),
    { ...reference('appointment_reminder_id', 'calendar_reminders'), onDelete: 'CASCADE' },
  ],
  indices: [
    unique('appointment_reminder_id', 'agendamento_id', 'data_hora', 'minutes'),
    ...['id', 'datetime', 'last_datetime'].map((column) => index('account_id', column)),
  ],
};

export class Calendar1796200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of [FEEDS, APPOINTMENTS, REMINDERS, DUE]) await runner.createTable(new Table({ ...table, engine: MYSQL_TABLE }));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { name } of [DUE, REMINDERS, APPOINTMENTS, FEEDS]) await runner.dropTable(name);
  }
}
