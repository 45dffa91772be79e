import type { TwilioAccount } from '../../platform/config/channel-accounts';
import type { OutboundRequest, OutboundResponse } from '../../platform/outbound/outbound-request';
import { parseSid } from './twilio-report';
import { readAloud } from './call-twiml';
import {
  type ChannelContext,
  type HttpChannel,
  NotConfigured,
  type OutgoingMessage,
  requireSetting,
  requireVariable,
  type Verdict,
} from './channel';
import { URL_IN_TEXT, cut, fit, removeIllegalXml, joinLines, type Wording } from './text-fit';
import { asInteger, jsonObject, statusVerdict } from './verdicts';

/** Maximum length, in characters, of a text message or of a variable's value: https://www.twilio.com/docs/content/using-variables-with-content-api */
const MAX_BODY = 1_600;

/** A text message: https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource */
export const TWILIO: HttpChannel = { transport: 'http', isPaid: true, request: textRequest, judge: judgeTwilio };

function textRequest(outgoing: OutgoingMessage, context: ChannelContext): OutboundRequest {
  const To = requireSetting(context.settings, 'twilio');
  const { wording, Body } = bodyOf(outgoing);
  return twilioRequest(outgoing, context, 'Messages', wording, { To, ...senderOf(twilioAccount(context)), Body });
}

function bodyOf(outgoing: OutgoingMessage) {
  const { wording, rendered } = fit(outgoing, joinLines, isFit);
  const isCut = rendered !== joinLines(outgoing) && wording.text.endsWith('…');
  if (!isCut || !GSM_7.test(joinLines({ ...wording, text: wording.text.slice(0, -1) }))) return { wording, Body: rendered };
  const plain = fit(outgoing, joinLines, isFit, '...');
  return { wording: plain.wording, Body: plain.rendered };
}

/** Text that GSM-7 can encode. A single `…` would turn it into UCS-2, and 11 segments into 24. */
const GSM_7 = /^[@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\fÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà^{}\\[~\]|€]*$/;

function isFit(rendered: string): boolean {
  return rendered.length <= MAX_BODY;
}

function senderOf({ messagingServiceSid, from }: TwilioAccount): Record<string, string> {
  if (messagingServiceSid) return { MessagingServiceSid: messagingServiceSid };
  return { From: requireVariable(from, 'TWILIO_FROM or TWILIO_MESSAGING_SERVICE_SID') };
}

/** Maximum length of `Twiml`, in characters: https://www.twilio.com/docs/voice/api/call-resource#create-a-call-resource */
const MAX_TWIML = 4_000;
/** Characters of the text that are read aloud, counted before escaping: about 40 seconds of speech. */
const MAX_SPOKEN = 600;

/** A call that reads the message aloud: https://www.twilio.com/docs/voice/api/call-resource#create-a-call-resource */
export const TWILIO_CALL: HttpChannel = { transport: 'http', isPaid: true, request: callRequest, judge: judgeTwilio };

function callRequest(outgoing: OutgoingMessage, context: ChannelContext): OutboundRequest {
  const To = requireSetting(context.settings, 'twilio_call');
  const From = requireVariable(twilioAccount(context).from, 'TWILIO_FROM');
  const action = keyCallbackOf(outgoing, context);
  const render = (wording: Wording) => readAloud(wording, context.accounts.twilioCallLanguage, action);
  const { wording, rendered: Twiml } = fit(toSpokenText(outgoing), render, (rendered) => rendered.length <= MAX_TWIML);
  return twilioRequest(outgoing, context, 'Calls', wording, { To, From, Twiml });
}

/** The parts to read aloud: without URLs, which nobody wants to hear. @throws NotConfigured */
function toSpokenText({ title, text }: OutgoingMessage): Wording {
  const wording = { title: removeIllegalXml(title), text: cut(removeIllegalXml(text).replace(URL_IN_TEXT, ''), MAX_SPOKEN), url: '' };
  if (!wording.title.trim() && !wording.text.trim()) throw new NotConfigured('The message has nothing to read aloud.');
  return wording;
}

/** Where Twilio posts a pressed key: a URL with the token of the acknowledgement link. Undefined if no key can acknowledge the message. */
function keyCallbackOf({ acknowledge_url }: OutgoingMessage, context: ChannelContext): string | undefined {
  const { keyCallback } = twilioAccount(context);
  return keyCallback && acknowledge_url && keyCallback + acknowledge_url.slice(acknowledge_url.lastIndexOf('/'));
}

/** Characters of the text that stand in for a missing title. */
const MAX_BEGINNING = 78;
const WHATSAPP_PREFIX = 'whatsapp:';

/** A WhatsApp message through Twilio: https://www.twilio.com/docs/whatsapp/api */
export const WHATSAPP: HttpChannel = { transport: 'http', isPaid: true, request: whatsappRequest, judge: judgeTwilio };

function whatsappRequest(outgoing: OutgoingMessage, context: ChannelContext): OutboundRequest {
  const to = requireSetting(context.settings, 'whatsapp');
  const { whatsappFrom, whatsappContentSid, whatsappMax } = twilioAccount(context);
  const from = requireVariable(whatsappFrom, 'TWILIO_WHATSAPP_FROM');
  const { wording, ...content } = whatsappContentSid ? templateOf(outgoing, whatsappContentSid, whatsappMax) : bodyOf(outgoing);
  return twilioRequest(outgoing, context, 'Messages', wording, { To: whatsappAddress(to), From: whatsappAddress(from), ...content });
}

function whatsappAddress(number: string): string {
  return number.startsWith(WHATSAPP_PREFIX) ? number : WHATSAPP_PREFIX + number;
}

/** Twilio refuses template variables with line breaks, tabs or runs of spaces: https://www.twilio.com/docs/api/errors/21656 */
function templateOf({ title, text, url, acknowledge_url }: OutgoingMessage, ContentSid: string, max: number) {
  const beginning = oneLine(title) || cut(oneLine(text), MAX_BEGINNING);
  const render = (wording: Wording) => oneLine(joinLines(wording));
  const { wording, rendered } = fit({ title: '', text, url, acknowledge_url }, render, ({ length }) => length <= max);
  const ContentVariables = JSON.stringify({ 1: beginning, 2: rendered });
  return { wording: { ...wording, title: oneLine(title), text: oneLine(wording.text) }, ContentSid, ContentVariables };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

const CREATED = 201;
/** The variable to check, by the status with which Twilio refuses the operator's account: https://www.twilio.com/docs/usage/twilios-response */
const VARIABLE_BY_REFUSAL = new Map([
  [401, 'TWILIO_AUTH_TOKEN'],
  [403, 'TWILIO_ACCOUNT_SID'],
]);

type Resource = 'Messages' | 'Calls';

/** @throws NotConfigured */
function twilioAccount({ accounts }: ChannelContext): TwilioAccount {
  return requireVariable(accounts.twilio, 'TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN');
}

/**
 * Creates a message or a call. Requests cost money, so each uses a new connection: if a reused one closes, it is unknown whether the
 * request arrived. https://www.twilio.com/docs/usage/requests-to-twilio
 */
function twilioRequest(
  outgoing: OutgoingMessage,
  context: ChannelContext,
  resource: Resource,
  wording: Wording,
  form: Record<string, string>,
): OutboundRequest {
  const { sid, token } = twilioAccount(context);
  const callback = statusCallbackOf(outgoing, context, resource);
  return {
    url: `${context.accounts.twilioApiUrl}/2010-04-01/Accounts/${sid}/${resource}.json`,
    headers: {
      authorization: `Basic ${Buffer.from(`${sid}:${token}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams([...Object.entries(form), ...callback]).toString(),
    wording,
    isTrusted: true,
    needsNewConnection: true,
    readsBody: (status) => status !== CREATED || callback.length > 0, // a 201 has the sid, which only callbacks need
    needsWholeBody: (status) => status !== CREATED, // after a 201, the message counts as sent, even if the body is cut short
  };
}

/** Calls report only their end unless asked for more: https://www.twilio.com/docs/voice/api/call-resource#statuscallbackevent */
const CALL_EVENTS = ['initiated', 'ringing', 'answered', 'completed'];

/** The form fields that request status callbacks; none for a test, which stores nothing, or without a public URL to call. */
function statusCallbackOf({ deliveryId }: OutgoingMessage, context: ChannelContext, resource: Resource): [string, string][] {
  const { statusCallback } = twilioAccount(context);
  if (statusCallback === undefined || deliveryId === null) return [];
  const events = resource === 'Calls' ? CALL_EVENTS : [];
  return [['StatusCallback', statusCallback], ...events.map((event): [string, string] => ['StatusCallbackEvent', event])];
}

/** Twilio returns 201 when it has created the resource. Error codes: https://www.twilio.com/docs/api/errors */
function judgeTwilio(response: OutboundResponse, now: number): Verdict {
  const body = jsonObject(response.body) ?? {};
  if (response.status === CREATED) return { ...statusVerdict(response, now, { isDelivered: true }), sid: parseSid(body.sid) };
  const code = asInteger(body.code);
  const reason = code === undefined ? undefined : `error ${code}`;
  const verdict = statusVerdict(response, now, { isDelivered: false, code, reason });
  const variable = VARIABLE_BY_REFUSAL.get(response.status);
  return variable ? { ...verdict, outcome: 'operator_error', isFinal: false, variable } : verdict;
}
