import { createHmac } from 'node:crypto';
import type { OutboundRequest, OutboundResponse } from '../../platform/outbound/outbound-request';
import { type ChannelContext, type HttpChannel, jsonRequest, type OutgoingMessage, requireSetting, type Verdict } from './channel';
import type { Wording } from './text-fit';
import { isClientError, statusVerdict } from './verdicts';

const GONE = 410;

/** A receiver of Standard Webhooks: https://www.standardwebhooks.com */
export const WEBHOOK: HttpChannel = { transport: 'http', isPaid: false, request, judge };

function request(outgoing: OutgoingMessage, { settings, signingSecrets, now }: ChannelContext): OutboundRequest {
  const url = requireSetting(settings, 'webhook');
  const body = bodyOf(outgoing);
  const timestamp = Math.floor(now / 1_000);
  const headers = {
    'webhook-id': outgoing.webhookId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': webhookSignature(signingSecrets, outgoing.webhookId, timestamp, body),
    ...(outgoing.traceparent !== null && { traceparent: outgoing.traceparent }),
  };
  return jsonRequest(url, body, toWording(outgoing), { headers });
}

/** An event is shown as its whole JSON: it has no text for people. */
function toWording({ event, title, text, url, acknowledge_url }: OutgoingMessage): Wording {
  return event === null
    ? { title, text, url, ...(acknowledge_url && { acknowledge_url }) }
    : { title: (JSON.parse(event) as { type: string }).type, text: event, url: '' };
}

/** The body is identical in every attempt: its timestamp is the message's, not the attempt's. */
function bodyOf({ messageId, deliveryId, title, text, url, acknowledge_url, datetime, event }: OutgoingMessage): string {
  if (event !== null) return event;
  const data = { message_id: messageId, delivery_id: deliveryId, title, text, url, ...(acknowledge_url && { acknowledge_url }) };
  return JSON.stringify({ type: 'message', timestamp: `${datetime.replace(' ', 'T')}Z`, data });
}

/** As Standard Webhooks recommends, a 4xx is retried, except 410, with which a receiver unsubscribes. */
function judge(response: OutboundResponse, now: number): Verdict {
  const verdict = statusVerdict(response, now);
  return { ...verdict, isFinal: verdict.isFinal && (!isClientError(response.status) || response.status === GONE) };
}

const SECRET_PREFIX = 'whsec_';

/**
 * The header `webhook-signature`: one signature per secret, in the given order.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme
 */
export function webhookSignature(secrets: readonly string[], id: string, timestamp: number, body: string): string {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return signatures.join(' ');
}
