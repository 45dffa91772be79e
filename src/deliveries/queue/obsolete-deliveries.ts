import type { Config } from '../../platform/config/config';
import { REACHED_STATUSES } from '../channels/twilio-report';

/** Types whose delivery only Twilio's status callback confirms, if one is requested. */
const REPORTED_TYPES = ['twilio', 'twilio_call', 'whatsapp'];
const OR_HAS_REACHED = [...REACHED_STATUSES].map((status) => ` OR other.receipt LIKE '{"status":"${status}"%'`).join('');

/** Whether a status callback follows Twilio's 201 for a delivery of this type. */
export function awaitsReport({ channels }: Config, type: string): boolean {
  return channels.twilio?.statusCallback !== undefined && REPORTED_TYPES.includes(type);
}

/** SQL condition on `deliveries`: the message was acknowledged, or has `until=delivered` and a delivery that got through. */
export function obsoleteCondition({ channels }: Config): string {
  const hasReports = channels.twilio?.statusCallback !== undefined;
  const reachedCondition = hasReports ? ` AND (other.type NOT IN ('${REPORTED_TYPES.join("', '")}')${OR_HAS_REACHED})` : '';
  return `(EXISTS (SELECT 1 FROM messages WHERE id = deliveries.message_id AND acknowledged IS NOT NULL)
    OR (COALESCE(until, '') = 'delivered' AND EXISTS (
      SELECT 1 FROM deliveries other WHERE other.message_id = deliveries.message_id AND other.status = 'delivered'${reachedCondition})))`;
}
