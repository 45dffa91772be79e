import type { OutboundRequest, OutboundResponse } from '../../outbound/outbound-request';
import type { ChannelContext, HttpChannel, Outgoing, Verdict } from './channel';
import { adaptiveCard } from './content/adaptive-card';
import { fit, type Wording } from './content/text-fit';
import { jsonRequest } from './requests/json-request';
import { requireSetting } from './requests/required';
import { isSuccess, statusVerdict } from './verdicts/status-verdict';

/** 28 KB of 1,024 bytes. Without a charset, Teams counts two bytes per character: https://stackoverflow.com/q/78034694 */
const MAX_BYTES = 28 * 1_024;
const CONTENT_TYPE = 'application/json; charset=utf-8';

/**
 * A Teams workflow's webhook:
 * https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
export const MICROSOFT_TEAMS: HttpChannel = { transport: 'http', isPaid: false, request, judge };

function request(outgoing: Outgoing, { settings }: ChannelContext): OutboundRequest {
  const url = requireSetting(settings, 'microsoft_teams');
  const body = fit(outgoing, render, (rendered) => Buffer.byteLength(rendered) <= MAX_BYTES);
  return jsonRequest(url, body, { headers: { 'content-type': CONTENT_TYPE } });
}

function render(wording: Wording): string {
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', content: adaptiveCard(wording) };
  return JSON.stringify({ type: 'message', attachments: [attachment] });
}

function judge(response: OutboundResponse, now: number): Verdict {
  return statusVerdict(response, now, { isDelivered: isSuccess(response.status) });
}
