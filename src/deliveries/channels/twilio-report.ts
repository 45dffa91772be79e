import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ParsedUrlQuery } from 'node:querystring';

/** Twilio's report about a message or a call. */
export interface TwilioStatus {
  sid: string;
  type: 'twilio' | 'twilio_call' | 'whatsapp';
  status: string;
  /** https://www.twilio.com/docs/api/errors */
  code: number | null;
}

/**
 * In the order in which they occur; the statuses of a group are alternatives:
 * https://www.twilio.com/docs/messaging/api/message-resource#message-status-values
 */
const MESSAGE_STATUSES = [['queued'], ['sending'], ['sent'], ['delivered', 'undelivered', 'failed'], ['read']];
/** https://www.twilio.com/docs/voice/api/call-resource#call-status-values */
const CALL_STATUSES = [['queued'], ['ringing'], ['in-progress'], ['completed', 'busy', 'no-answer', 'failed', 'canceled']];

const MESSAGE_RANKS = ranksOf(MESSAGE_STATUSES);
const CALL_RANKS = ranksOf(CALL_STATUSES);
/** Messages and calls agree on the ranks of the statuses that they share. */
const RANKS = new Map([...MESSAGE_RANKS, ...CALL_RANKS]);
/** Final statuses: the first one that is reported stays. */
const FINAL_STATUSES = new Set(['undelivered', ...CALL_STATUSES[3]]);

/** Statuses that mean a person has got the message; those in UNREACHED_STATUSES mean that nobody will. */
export const REACHED_STATUSES: ReadonlySet<string> = new Set(['delivered', 'read', 'completed']);
export const UNREACHED_STATUSES: ReadonlySet<string> = new Set([...FINAL_STATUSES].filter((status) => !REACHED_STATUSES.has(status)));

export const RECEIPT_STATUSES = [...RANKS.keys()];

function ranksOf(statuses: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  return new Map(statuses.flatMap((group, rank) => group.map((status) => [status, rank] as const)));
}

/** Whether `status` comes after `than`; false if `than` is final. */
export function isMoreAdvanced(status: string, than: string): boolean {
  return !FINAL_STATUSES.has(than) && RANKS.get(status)! > RANKS.get(than)!;
}

/** A status that Twilio has reported. */
export interface Receipt {
  status: string;
  /** https://www.twilio.com/docs/api/errors */
  code: number | null;
  datetime: string;
}

/** Parses `Delivery.receipt`. */
export function parseReceipt(json: string | null): Receipt | null {
  return json === null ? null : (JSON.parse(json) as Receipt);
}

/** Accepts the ids of Twilio and compatible services, up to the length of the column. */
const SID = /^[\w-]{1,64}$/;

export function parseSid(value: unknown): string | undefined {
  return typeof value === 'string' && SID.test(value) ? value : undefined;
}

/** Undefined if the form names no message or call, or has a status without a rank, such as `initiated`. */
export function parseReport(form: ParsedUrlQuery): TwilioStatus | undefined {
  const isCall = form.CallSid !== undefined;
  const sid = parseSid(isCall ? form.CallSid : (form.MessageSid ?? form.SmsSid));
  const status = isCall ? form.CallStatus : (form.MessageStatus ?? form.SmsStatus);
  if (sid === undefined || typeof status !== 'string' || !(isCall ? CALL_RANKS : MESSAGE_RANKS).has(status)) return undefined;
  const messageType = [form.To, form.From].some((number) => number?.includes('whatsapp:')) ? 'whatsapp' : 'twilio';
  const code = /^\d{1,9}$/.test(String(form.ErrorCode)) ? Number(form.ErrorCode) : null;
  return { sid, type: isCall ? 'twilio_call' : messageType, status, code };
}

/**
 * Whether Twilio has signed a form for this URL: https://www.twilio.com/docs/usage/security#validating-requests. Twilio signs a URL with
 * or without its port; its own libraries accept both.
 */
export function hasValidSignature(
  form: ParsedUrlQuery,
  { token, url, signature }: { token: string; url: string; signature: string },
): boolean {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  return ['', `:${port || 443}`].some((suffix) => {
    const signed = signatureOf(form, token, `${protocol}//${hostname}${suffix}${pathname}${search}`);
    const [expected, given] = [Buffer.from(signed), Buffer.from(signature)];
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
}

/** Signs the URL and the form's fields in order of their names, each followed by its distinct values in order. */
export function signatureOf(form: ParsedUrlQuery, token: string, url: string): string {
  const fields = Object.keys(form).sort();
  const valuesOf = (name: string) => [...new Set([form[name] ?? ''].flat())].sort();
  const text = fields.map((name) => valuesOf(name).map((value) => name + value));
  return createHmac('sha1', token)
    .update(url + text.flat().join(''))
    .digest('base64');
}
