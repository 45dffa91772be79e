import type { TwilioAccount } from '../../config/channel-accounts';
import type { OutboundRequest } from '../../outbound/outbound-request';
import type { ChannelContext, HttpChannel, Outgoing } from './channel';
import { fit, lines } from './content/text-fit';
import { requireSetting, requireVariable } from './requests/required';
import { judgeTwilio, twilioAccount, twilioRequest } from './requests/twilio-request';

const MAX_BODY = 1_600;

/** A text message: https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource */
export const TWILIO: HttpChannel = { transport: 'http', isPaid: true, request, judge: judgeTwilio };

function request(outgoing: Outgoing, context: ChannelContext): OutboundRequest {
  const To = requireSetting(context.settings, 'twilio');
  const Body = fit(outgoing, lines, (rendered) => rendered.length <= MAX_BODY);
  return twilioRequest(context, 'Messages', { To, ...senderOf(twilioAccount(context)), Body });
}

function senderOf({ messagingServiceSid, from }: TwilioAccount): Record<string, string> {
  if (messagingServiceSid) return { MessagingServiceSid: messagingServiceSid };
  return { From: requireVariable(from, 'TWILIO_FROM or TWILIO_MESSAGING_SERVICE_SID') };
}
