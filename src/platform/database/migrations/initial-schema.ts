import type { TableOptions } from 'typeorm';
import { flag, generatedId, index, integer, NewTables, reference, text, time, unique, varchar } from './columns';

const id = generatedId();
const accountId = integer('account_id');
const isEnabled = flag('is_enabled');
const datetime = time('datetime');
const lastDatetime = time('last_datetime', true);
const ofAccount = reference('account_id', 'accounts');

const TABLES: TableOptions[] = [
  {
    name: 'accounts',
    columns: [id, varchar('name', 128), datetime],
    indices: [unique('name')],
  },
  {
    name: 'api_keys',
    columns: [
      id,
      accountId,
      varchar('name', 128),
      varchar('key_hash', 64),
      varchar('scopes', 512),
      time('expires_datetime', true),
      time('last_used_datetime', true),
      time('revoked_datetime', true),
      datetime,
    ],
    foreignKeys: [ofAccount],
    indices: [unique('key_hash'), index('account_id')],
  },
  {
    name: 'domains',
    columns: [
      id,
      accountId,
      varchar('scheme', 8),
      varchar('host', 253),
      varchar('custom_index_url', 2048),
      varchar('custom_not_found_url', 2048),
      isEnabled,
      lastDatetime,
      datetime,
    ],
    foreignKeys: [ofAccount],
    indices: [unique('host'), index('account_id', 'id')],
  },
  {
    name: 'notification_handlers',
    columns: [id, accountId, varchar('type', 32), varchar('name', 128), text('settings'), isEnabled, lastDatetime, datetime],
    foreignKeys: [ofAccount],
    indices: [index('account_id', 'id')],
  },
  {
    name: 'campaigns',
    columns: [id, accountId, varchar('name', 128), isEnabled, datetime],
    foreignKeys: [ofAccount],
    indices: [index('account_id', 'id')],
  },
  {
    name: 'notifications',
    columns: [
      id,
      accountId,
      integer('campaign_id'),
      varchar('notification_key', 32),
      varchar('name', 128),
      varchar('type', 64),
      text('settings'),
      isEnabled,
      lastDatetime,
      datetime,
    ],
    foreignKeys: [ofAccount, reference('campaign_id', 'campaigns')],
    indices: [unique('notification_key'), index('account_id', 'id'), index('campaign_id')],
  },
];

export class InitialSchema1795219200000 extends NewTables {
  protected tables = TABLES;
}
