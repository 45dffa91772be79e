import type { OutboundRequest, OutboundResponse } from '../../outbound/outbound-request';
import type { ChannelContext, HttpChannel, Outgoing, Verdict } from './channel';
import { discordUrl, escapeDiscord } from './content/discord-markdown';
import { fit, lines, type Wording } from './content/text-fit';
import { jsonRequest } from './requests/json-request';
import { requireSetting } from './requests/required';
import { asInteger, jsonObject } from './verdicts/json-body';
import { quote } from './verdicts/quote';
import { isClientError, isSuccess, statusVerdict } from './verdicts/status-verdict';

const MAX_CONTENT = 2_000;

/** A Discord webhook: https://docs.discord.com/developers/resources/webhook#execute-webhook */
export const DISCORD: HttpChannel = { transport: 'http', isPaid: false, request, judge };

function request(outgoing: Outgoing, { settings }: ChannelContext): OutboundRequest {
  const url = requireSetting(settings, 'discord');
  const content = fit(outgoing, render, (rendered) => rendered.length <= MAX_CONTENT);
  const body = JSON.stringify({ content, allowed_mentions: { parse: [] } });
  return jsonRequest(url, body, { readsBody: isClientError });
}

function render({ title, text, url }: Wording): string {
  return lines({ title: escapeDiscord(title), text: escapeDiscord(text), url: discordUrl(url) });
}

/** `retry_after` is in seconds, with fractions: https://docs.discord.com/developers/topics/rate-limits */
function judge(response: OutboundResponse, now: number, settings: ChannelContext['settings']): Verdict {
  const { retry_after: seconds, code, message } = jsonObject(response.body);
  return statusVerdict(response, now, {
    isDelivered: isSuccess(response.status),
    ...{ seconds, code: asInteger(code), reason: quote(message, settings.discord) },
  });
}
