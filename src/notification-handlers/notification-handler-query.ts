import { oneOf } from '../common/field-types';
import { contains, ENABLED, equals, listQuery, times } from '../http/pagination';
import { CHANNEL_TYPES } from './channels';

export class NotificationHandlerQuery extends listQuery({
  filters: { name: contains('name_folded', 'night'), type: equals(oneOf(CHANNEL_TYPES, 'email')), is_enabled: ENABLED, ...times() },
  orderby: ['name', 'datetime', 'last_datetime'],
}) {}
