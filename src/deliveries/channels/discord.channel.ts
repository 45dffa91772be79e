import type { OutboundRequest, OutboundResponse } from '../../platform/outbound/outbound-request';
import { type ChannelContext, type HttpChannel, jsonRequest, type OutgoingMessage, requireSetting, type Verdict } from './channel';
import { URL_IN_TEXT, fit, joinLines, type Wording } from './text-fit';
import { asInteger, isClientError, jsonObject, quote, statusVerdict } from './verdicts';

/** Maximum length of `content`, in characters: https://docs.discord.com/developers/resources/webhook#execute-webhook */
const MAX_CONTENT = 2_000;

/** A Discord webhook: https://docs.discord.com/developers/resources/webhook#execute-webhook */
export const DISCORD: HttpChannel = { transport: 'http', isPaid: false, request, judge };

function request(outgoing: OutgoingMessage, { settings }: ChannelContext): OutboundRequest {
  const url = requireSetting(settings, 'discord');
  const { wording, rendered: content } = fit(outgoing, render, (rendered) => rendered.length <= MAX_CONTENT);
  const body = JSON.stringify({ content, allowed_mentions: { parse: [] } });
  return jsonRequest(url, body, wording, { readsBody: isClientError });
}

function render({ title, text, url, acknowledge_url }: Wording): string {
  return joinLines({
    acknowledge_url,
    title: title && `**${escapeDiscord(title)}**`,
    text: escapeOutsideUrls(text),
    url: discordUrl(url),
  });
}

/** `retry_after` is in seconds, with fractions, which the header rounds up: https://docs.discord.com/developers/topics/rate-limits */
function judge(response: OutboundResponse, now: number, settings: ChannelContext['settings']): Verdict {
  const body = jsonObject(response.body);
  const { retry_after: seconds, code, message } = body ?? {};
  const headers = body ? {} : response.headers;
  return statusVerdict({ ...response, headers }, now, { seconds, code: asInteger(code), reason: quote(message, settings.discord) });
}

/**
 * Characters to escape in Markdown, mentions, timestamps, `:smile:`, `https://`, and list markers at the start of a line. Discord
 * drops a backslash before any ASCII punctuation. https://docs.discord.com/developers/reference#message-formatting
 */
const MARKUP = /[\\*_~|`<>[\]@#]|:(?=\/\/|[^\s:]+:)|(?<=^[^\S\n]*)[-+]|(?<=^[^\S\n]*\d+)\./gm;
const URL_OR_MARKUP = new RegExp(`(${URL_IN_TEXT.source})|${MARKUP.source}`, 'gm');

export function escapeDiscord(text: string): string {
  return text.replace(MARKUP, '\\$&');
}

/** Discord ignores markup in a URL, and would show the backslashes. */
function escapeOutsideUrls(text: string): string {
  return text.replace(URL_OR_MARKUP, (match, address?: string) => address ?? `\\${match}`);
}

/**
 * Discord links a bare URL and ignores markup inside, but only with a lower-case scheme, and only up to a `<`, which could start a
 * mention. The result is the same URL: URL parsers lower-case the scheme and encode angle brackets, too.
 */
function discordUrl(url: string): string {
  return url
    .replace(/^https?/i, (scheme) => scheme.toLowerCase())
    .replaceAll('<', '%3C')
    .replaceAll('>', '%3E');
}
