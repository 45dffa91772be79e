import { RECORD_ID } from '../platform/common/field-types';
import { CreationTime, RecordField, UpdateTime } from '../platform/http/record-fields';
import { contains, ENABLED, equals, listQuery, times } from '../platform/http/list-query';
import { NOTIFICATION_KEY, NOTIFICATION_TYPE } from './notification-columns';

export class NotificationRecord {
  @RecordField({ type: 'integer', example: 7 })
  id: number;

  @RecordField({ type: 'integer', example: 3, description: 'Campaign that the notification belongs to.' })
  campaign_id: number;

  @RecordField({
    type: 'string',
    example: '8f14e45fceea167a5a36dedd4bea2543',
    description: '32 hexadecimal characters.',
    pattern: '^[0-9a-f]{32}$',
  })
  notification_key: string;

  @RecordField({ type: 'string', example: 'Weekend offer' })
  name: string;

  @RecordField({
    type: 'string',
    example: 'INFORMATIONAL',
    description: 'A code in upper case with underscores.',
    pattern: '^[A-Z][A-Z0-9_]*$',
  })
  type: string;

  @RecordField({ type: 'object', example: { title: 'Weekend offer', display_duration: 5 } })
  settings: object;

  @RecordField({ type: 'boolean', example: true })
  is_enabled: boolean;

  @UpdateTime()
  last_datetime: string | null;

  @CreationTime()
  datetime: string;
}

export class NotificationQuery extends listQuery({
  filters: {
    name: contains('name_folded', 'offer'),
    type: equals(NOTIFICATION_TYPE),
    campaign_id: equals(RECORD_ID),
    notification_key: equals(NOTIFICATION_KEY),
    is_enabled: ENABLED,
    ...times(),
  },
  orderby: ['name', 'datetime', 'last_datetime'],
}) {}
