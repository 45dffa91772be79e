import type { Config } from '../../platform/config/config';
import type { MailResponse, OutboundMail, OutboundRequest, OutboundResponse } from '../../platform/outbound/outbound-request';
import type { Wording } from './text-fit';

export const DELIVERY_OUTCOMES = [
  'delivered',
  'rejected',
  'server_error',
  'rate_limited',
  'timeout',
  'unreachable',
  'tls_error',
  'blocked_address',
  'not_configured',
  'operator_error',
  'daily_limit',
  'expired',
  'unknown',
  'internal_error',
] as const;

/** How an attempt ended. */
export type Outcome = (typeof DELIVERY_OUTCOMES)[number];

/** The message that one attempt sends. */
export interface OutgoingMessage {
  /** Null in a handler test. */
  messageId: number | null;
  deliveryId: number | null;
  /** `Delivery.part`; null in a handler test. */
  part: string | null;
  /** The same in every attempt of a delivery, such as `msg_5f0c1e9ab27d_7`. */
  webhookId: string;
  /** `traceparent` header for a webhook: the message's trace id with a new parent id for each attempt; null if it has no trace. */
  traceparent: string | null;
  title: string;
  text: string;
  url: string;
  /** See `Wording`. */
  acknowledge_url?: string;
  /** Body that a webhook gets instead of the message; null unless the message reports an event. */
  event: string | null;
  /** The message's creation time, `YYYY-MM-DD HH:MM:SS` in UTC. */
  datetime: string;
}

/** A channel's input, apart from the message. */
export interface ChannelContext {
  /** The handler's decrypted settings. */
  settings: Readonly<Record<string, string>>;
  handlerName: string;
  accountName: string;
  /** `whsec_…`, the newest first; empty for types other than webhook. */
  signingSecrets: readonly string[];
  accounts: Config['channels'];
  /** The attempt's time, in milliseconds since 1970. */
  now: number;
}

/** How an attempt ended, and whether the delivery may be attempted again. */
export interface Verdict {
  outcome: Outcome;
  /** The delivery must not be attempted again. */
  isFinal: boolean;
  /** The receiver's status code; null without an answer. */
  status: number | null;
  /** A sentence for the handler's owner, without host, path, address or secret. */
  detail: string;
  /** The service's own error code, such as Twilio's 21211 or SMTP's 5.1.1. */
  code?: string | number;
  /** With `operator_error`: the environment variable to check. */
  variable?: string;
  /** The receiver may have accepted the message: it is tried once more, an hour later. */
  isAmbiguous?: boolean;
  /** How long the receiver asks to wait, in milliseconds, at most an hour. */
  retryAfterMs?: number;
  /** Twilio's id of the message or call, if a status callback was requested. */
  sid?: string;
}

/** The message can't be sent as configured: usually, a setting is missing. The error's message is for the handler's owner. */
export class NotConfigured extends Error {}

/** Turns a message into a request, and a response into a verdict. Does no I/O. */
export interface HttpChannel {
  transport: 'http';
  /** Sending costs money: once written, a request without a complete response is not retried. */
  isPaid: boolean;
  /** @throws NotConfigured */
  request(outgoing: OutgoingMessage, context: ChannelContext): OutboundRequest;
  /** `now` in milliseconds since 1970, for `Retry-After` dates; `settings` are the handler's, to keep their secrets out of quoted errors. */
  judge(response: OutboundResponse, now: number, settings: ChannelContext['settings']): Verdict;
}

export interface MailChannel {
  transport: 'smtp';
  isPaid: false;
  /** @throws NotConfigured */
  mail(outgoing: OutgoingMessage, context: ChannelContext): OutboundMail;
  judge(response: MailResponse): Verdict;
}

export type Channel = HttpChannel | MailChannel;

/** Defaults: a client chose the URL, and the response body is not read. Channels that do read it need the whole body only for a success. */
const JSON_REQUEST_DEFAULTS = {
  isTrusted: false,
  needsNewConnection: false,
  readsBody: () => false,
  needsWholeBody: (status: number) => status < 300,
};

type JsonRequestOptions = Partial<Pick<OutboundRequest, 'headers' | 'isTrusted' | 'readsBody' | 'needsWholeBody'>>;

export function jsonRequest(
  url: string,
  body: string,
  wording: Wording,
  { headers, ...options }: JsonRequestOptions = {},
): OutboundRequest {
  return { ...JSON_REQUEST_DEFAULTS, ...options, url, headers: { 'content-type': 'application/json', ...headers }, body, wording };
}

/** @throws NotConfigured naming the setting */
export function requireSetting(settings: Readonly<Record<string, string>>, name: string): string {
  if (settings[name]) return settings[name];
  throw new NotConfigured(`${name} is empty: set it in the handler.`);
}

/** @throws NotConfigured naming the environment variable */
export function requireVariable<T>(value: T | undefined, name: string): T {
  if (value !== undefined) return value;
  throw new NotConfigured(`The operator of this service has not set ${name}.`);
}
