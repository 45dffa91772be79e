import type { OutboundRequest, OutboundResponse } from '../../platform/outbound/outbound-request';
import { type ChannelContext, type HttpChannel, jsonRequest, type OutgoingMessage, requireSetting, type Verdict } from './channel';
import { ACKNOWLEDGE, escapeEntities, fit, joinLines, type Wording } from './text-fit';
import { isError, quote, statusVerdict } from './verdicts';

/**
 * Slack refuses blocks of more than 12,000 characters, counted with some of their JSON: https://github.com/slackapi/bolt-js/issues/2509
 * The size of their whole JSON in bytes is never less. This also keeps `text` far below its own limit of 40,000 characters:
 * https://api.slack.com/changelog/2018-04-truncating-really-long-messages
 */
const MAX_BLOCKS_BYTES = 12_000;

/** A Slack incoming webhook: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const SLACK: HttpChannel = { transport: 'http', isPaid: false, request, judge };

function request(outgoing: OutgoingMessage, { settings }: ChannelContext): OutboundRequest {
  const url = requireSetting(settings, 'slack');
  const { wording, rendered } = fit(outgoing, render, ({ blocks }) => Buffer.byteLength(JSON.stringify(blocks)) <= MAX_BLOCKS_BYTES);
  return jsonRequest(url, JSON.stringify(rendered), wording, { readsBody: isError });
}

/** Slack shows the blocks; `text` is for notifications. */
function render(wording: Wording) {
  const section = { type: 'rich_text_section', elements: elementsOf(wording) };
  return { text: escapeEntities(joinLines(wording)), mrkdwn: false, blocks: [{ type: 'rich_text', elements: [section] }] };
}

/** Slack doesn't parse the text of these elements for markup: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block */
function elementsOf({ title, text, url, acknowledge_url }: Wording): object[] {
  const parts = [
    title && { type: 'text', text: title, style: { bold: true } },
    text && { type: 'text', text },
    url && { type: 'link', url },
    acknowledge_url && [
      { type: 'text', text: ACKNOWLEDGE },
      { type: 'link', url: acknowledge_url },
    ],
  ].filter(Boolean);
  return parts.flatMap((part, index) => (index === 0 ? part : [{ type: 'text', text: '\n' }, part].flat())) as object[];
}

/** Slack's error responses are one word: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
function judge(response: OutboundResponse, now: number, settings: ChannelContext['settings']): Verdict {
  const [word] = /^\w+$/.exec(response.body.trim()) ?? [];
  return statusVerdict(response, now, { reason: quote(word, settings.slack) });
}
