import type { OutboundRequest, OutboundResponse } from '../../platform/outbound/outbound-request';
import { type ChannelContext, type HttpChannel, jsonRequest, type OutgoingMessage, requireSetting, type Verdict } from './channel';
import { fit, joinLines, type Wording } from './text-fit';
import { asInteger, asObject, isClientError, isSuccess, jsonObject, quote, statusVerdict } from './verdicts';

/** Maximum length of `text`, in characters: https://core.telegram.org/bots/api#sendmessage */
const MAX_TEXT = 4_096;

/** A Telegram bot. Without `parse_mode`, text is not parsed for markup: https://core.telegram.org/bots/api#formatting-options */
export const TELEGRAM: HttpChannel = { transport: 'http', isPaid: false, request, judge };

function request(outgoing: OutgoingMessage, { settings, accounts }: ChannelContext): OutboundRequest {
  const token = requireSetting(settings, 'telegram');
  const chat_id = requireSetting(settings, 'telegram_chat_id');
  const { wording, rendered } = fit(outgoing, render, ({ text }) => text.length <= MAX_TEXT);
  const url = `${accounts.telegramApiUrl}/bot${token}/sendMessage`;
  return jsonRequest(url, JSON.stringify({ chat_id, ...rendered }), wording, {
    isTrusted: true,
    readsBody: (status) => isSuccess(status) || isClientError(status),
  });
}

/** Entities' offsets and lengths are in UTF-16 units: https://core.telegram.org/bots/api#messageentity */
function render(wording: Wording) {
  const { length } = wording.title;
  return { text: joinLines(wording), ...(length > 0 && { entities: [{ type: 'bold', offset: 0, length }] }) };
}

/** The Bot API confirms with `"ok":true`: https://core.telegram.org/bots/api#making-requests */
function judge(response: OutboundResponse, now: number, settings: ChannelContext['settings']): Verdict {
  const { ok, parameters, description } = jsonObject(response.body) ?? {};
  const { retry_after, migrate_to_chat_id } = asObject(parameters) ?? {};
  const newChat = asInteger(migrate_to_chat_id);
  const reasons = [quote(description, settings.telegram), newChat && `migrate_to_chat_id ${newChat}`];
  return statusVerdict(response, now, {
    isDelivered: isSuccess(response.status) && ok === true,
    seconds: retry_after,
    reason: reasons.filter(Boolean).join(', '),
  });
}
