import type { OutboundRequest } from '../../outbound/outbound-request';
import type { ChannelContext, HttpChannel, Outgoing } from './channel';
import { cut, fit, lines, type Wording } from './content/text-fit';
import { requireSetting, requireVariable } from './requests/required';
import { judgeTwilio, twilioAccount, twilioRequest } from './requests/twilio-request';

/** For a body, and for a variable's value: https://www.twilio.com/docs/content/using-variables-with-content-api */
const MAX_BODY = 1_600;
const MAX_BEGINNING = 78;
const PREFIX = 'whatsapp:';

/** A WhatsApp message through Twilio: https://www.twilio.com/docs/whatsapp/api */
export const WHATSAPP: HttpChannel = { transport: 'http', isPaid: true, request, judge: judgeTwilio };

function request(outgoing: Outgoing, context: ChannelContext): OutboundRequest {
  const to = requireSetting(context.settings, 'whatsapp');
  const { whatsappFrom, whatsappContentSid } = twilioAccount(context);
  const from = requireVariable(whatsappFrom, 'TWILIO_WHATSAPP_FROM');
  const content = whatsappContentSid ? templateOf(outgoing, whatsappContentSid) : { Body: fitBody(outgoing, lines) };
  return twilioRequest(context, 'Messages', { To: address(to), From: address(from), ...content });
}

function address(number: string): string {
  return number.startsWith(PREFIX) ? number : PREFIX + number;
}

/** Twilio refuses variables with line breaks, tabs or runs of spaces: https://www.twilio.com/docs/api/errors/21656 */
function templateOf({ title, text, url }: Outgoing, ContentSid: string): Record<string, string> {
  const beginning = oneLine(title) || cut(oneLine(text), MAX_BEGINNING);
  const message = fitBody({ title: '', text, url }, (wording) => oneLine(lines(wording)));
  return { ContentSid, ContentVariables: JSON.stringify({ 1: beginning, 2: message }) };
}

function fitBody(wording: Wording, render: (wording: Wording) => string): string {
  return fit(wording, render, (rendered) => rendered.length <= MAX_BODY);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
