import { NullableTime, Time, Value } from '../http/record-schema';

export class NotificationRecord {
  @Value('integer', 7)
  id: number;

  @Value('integer', 3, 'Campaign that the notification belongs to.')
  campaign_id: number;

  @Value('string', '8f14e45fceea167a5a36dedd4bea2543', '32 hexadecimal characters.', { pattern: '^[0-9a-f]{32}$' })
  notification_key: string;

  @Value('string', 'Weekend offer')
  name: string;

  @Value('string', 'INFORMATIONAL', 'A code in upper case with underscores.', { pattern: '^[A-Z][A-Z0-9_]*$' })
  type: string;

  @Value('object', { title: 'Weekend offer', display_duration: 5 })
  settings: object;

  @Value('boolean', true)
  is_enabled: boolean;

  @NullableTime()
  last_datetime: string | null;

  @Time()
  datetime: string;
}
