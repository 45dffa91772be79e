import { RECORD_ID } from '../common/field-types';
import { contains, ENABLED, equals, listQuery, times } from '../http/pagination';
import { KEY, TYPE } from './notification-types';

export class NotificationQuery extends listQuery({
  filters: {
    name: contains('name_folded', 'offer'),
    ...{ type: equals(TYPE), campaign_id: equals(RECORD_ID), notification_key: equals(KEY) },
    ...{ is_enabled: ENABLED, ...times() },
  },
  orderby: ['name', 'datetime', 'last_datetime'],
}) {}
