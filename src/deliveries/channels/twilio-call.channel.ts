import type { OutboundRequest } from '../../outbound/outbound-request';
import type { ChannelContext, HttpChannel, Outgoing } from './channel';
import { fit, lines, type Wording } from './content/text-fit';
import { xmlText } from './content/xml-text';
import { requireSetting, requireVariable } from './requests/required';
import { judgeTwilio, twilioAccount, twilioRequest } from './requests/twilio-request';

const MAX_TWIML = 4_000;

/** A call that reads the message aloud: https://www.twilio.com/docs/voice/api/call-resource#create-a-call-resource */
export const TWILIO_CALL: HttpChannel = { transport: 'http', isPaid: true, request, judge: judgeTwilio };

function request(outgoing: Outgoing, context: ChannelContext): OutboundRequest {
  const To = requireSetting(context.settings, 'twilio_call');
  const From = requireVariable(twilioAccount(context).from, 'TWILIO_FROM');
  const Twiml = fit(outgoing, render, (rendered) => rendered.length <= MAX_TWIML);
  return twilioRequest(context, 'Calls', { To, From, Twiml });
}

function render(wording: Wording): string {
  return `<Response><Say>${xmlText(lines(wording))}</Say></Response>`;
}
