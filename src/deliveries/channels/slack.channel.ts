import type { OutboundRequest, OutboundResponse } from '../../outbound/outbound-request';
import type { ChannelContext, HttpChannel, Outgoing, Verdict } from './channel';
import { lines } from './content/text-fit';
import { escapeEntities } from './content/xml-text';
import { jsonRequest } from './requests/json-request';
import { requireSetting } from './requests/required';
import { isSuccess, statusVerdict } from './verdicts/status-verdict';

/** A Slack incoming webhook: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const SLACK: HttpChannel = { transport: 'http', isPaid: false, request, judge };

/** Never too long: Slack takes 40,000 characters, and the longest message has 31,242 after escaping. */
function request(outgoing: Outgoing, { settings }: ChannelContext): OutboundRequest {
  const text = escapeEntities(lines(outgoing));
  return jsonRequest(requireSetting(settings, 'slack'), JSON.stringify({ text, mrkdwn: false }));
}

function judge(response: OutboundResponse, now: number): Verdict {
  return statusVerdict(response, now, { isDelivered: isSuccess(response.status) });
}
