import type { OutboundRequest, OutboundResponse } from '../../outbound/outbound-request';
import type { ChannelContext, HttpChannel, Outgoing, Verdict } from './channel';
import { jsonRequest } from './requests/json-request';
import { requireSetting } from './requests/required';
import { webhookSignature } from './requests/webhook-signature';
import { isSuccess, statusVerdict } from './verdicts/status-verdict';

const GONE = 410;

/** A receiver that verifies signatures as Standard Webhooks: https://www.standardwebhooks.com */
export const WEBHOOK: HttpChannel = { transport: 'http', isPaid: false, request, judge };

function request(outgoing: Outgoing, { settings, signingSecrets, now }: ChannelContext): OutboundRequest {
  const url = requireSetting(settings, 'webhook');
  const body = bodyOf(outgoing);
  const timestamp = Math.floor(now / 1_000);
  const headers = {
    'webhook-id': outgoing.webhookId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': webhookSignature(signingSecrets, outgoing.webhookId, timestamp, body),
  };
  return jsonRequest(url, body, { headers });
}

/** The same bytes in every attempt: it has the time of the message, not of the attempt. */
function bodyOf({ messageId, deliveryId, title, text, url, datetime }: Outgoing): string {
  const data = { message_id: messageId, delivery_id: deliveryId, title, text, url };
  return JSON.stringify({ type: 'message', timestamp: `${datetime.replace(' ', 'T')}Z`, data });
}

/** Standard Webhooks: retry unless the status is 2xx, or 410, by which a receiver ends the deliveries. */
function judge(response: OutboundResponse, now: number): Verdict {
  const verdict = statusVerdict(response, now, { isDelivered: isSuccess(response.status) });
  return { ...verdict, isFinal: isSuccess(response.status) || response.status === GONE };
}
