import type { Config } from '../../platform/config/config';
import { REACHED_STATUSES } from '../channels/twilio-report';

/** Types whose delivery is known only from Twilio's report, where it is requested. */
const REPORTED = ['twilio', 'twilio_call', 'whatsapp'];
const HAS_REACHED = [...REACHED_STATUSES].map((status) => ` OR other.receipt LIKE '{"status":"${status}"%'`).join('');

/** Whether a 201 of Twilio's is followed by a report on a delivery of this type. */
export function awaitsReport({ channels }: Config, type: string): boolean {
  return channels.twilio?.statusCallback !== undefined && REPORTED.includes(type);
}

/** Condition on `deliveries`: their message is acknowledged, or has reached what it waits for, so that nothing of it is sent again. */
export function isObsolete({ channels }: Config): string {
  const hasReports = channels.twilio?.statusCallback !== undefined;
  const isReached = hasReports ? ` AND (other.type NOT IN ('${REPORTED.join("', '")}')${HAS_REACHED})` : '';
  return `(EXISTS (SELECT 1 FROM messages WHERE id = deliveries.message_id AND acknowledged IS NOT NULL)
    OR (COALESCE(until, '') = 'delivered' AND EXISTS (
      SELECT 1 FROM deliveries other WHERE other.message_id = deliveries.message_id AND other.status = 'delivered'${isReached})))`;
}
