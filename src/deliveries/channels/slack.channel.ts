import type { OutboundRequest } from '../../outbound/outbound-request';
import { type ChannelContext, type HttpChannel, jsonRequest, type Outgoing, requireSetting } from './channel';
import { escapeEntities, lines } from './text-fit';
import { statusVerdict } from './verdicts';

/** A Slack incoming webhook: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const SLACK: HttpChannel = { transport: 'http', isPaid: false, request, judge: (response, now) => statusVerdict(response, now) };

/** Never too long: Slack accepts 40,000 characters, and the longest message has 31,242 after escaping. */
function request(outgoing: Outgoing, { settings }: ChannelContext): OutboundRequest {
  const text = escapeEntities(lines(outgoing));
  return jsonRequest(requireSetting(settings, 'slack'), JSON.stringify({ text, mrkdwn: false }));
}
