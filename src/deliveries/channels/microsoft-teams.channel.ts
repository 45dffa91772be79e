import type { OutboundRequest, OutboundResponse } from '../../platform/outbound/outbound-request';
import { type ChannelContext, type HttpChannel, jsonRequest, type OutgoingMessage, requireSetting, type Verdict } from './channel';
import { ACKNOWLEDGE, URL_IN_TEXT, fit, type Wording } from './text-fit';
import { asObject, isError, jsonObject, quote, statusVerdict } from './verdicts';

/**
 * 28 KB of 1,024 bytes: https://learn.microsoft.com/en-us/connectors/teams/#known-issues-and-limitations-with-actions
 * Without a charset, Teams counts two bytes per character: https://stackoverflow.com/q/78034694
 */
const MAX_BYTES = 28 * 1_024;
const CONTENT_TYPE = 'application/json; charset=utf-8';

/**
 * A Teams workflow's webhook:
 * https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
export const MICROSOFT_TEAMS: HttpChannel = { transport: 'http', isPaid: false, request, judge };

function request(outgoing: OutgoingMessage, { settings }: ChannelContext): OutboundRequest {
  const url = requireSetting(settings, 'microsoft_teams');
  const { wording, rendered: body } = fit(outgoing, render, (rendered) => Buffer.byteLength(rendered) <= MAX_BYTES);
  return jsonRequest(url, body, wording, {
    headers: { 'content-type': CONTENT_TYPE },
    readsBody: (status) => status === OK || isError(status),
    needsWholeBody: () => false, // after a 200, the message counts as sent, even if the body is cut short
  });
}

function render(wording: Wording): string {
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', content: adaptiveCard(wording) };
  return JSON.stringify({ type: 'message', attachments: [attachment] });
}

const CAPTURED_URL = new RegExp(`(${URL_IN_TEXT.source})`);

interface TextRun {
  type: 'TextRun';
  text: string;
  weight?: 'Bolder';
  size?: 'Medium';
  selectAction?: { type: 'Action.OpenUrl'; url: string };
}

/**
 * An Adaptive Card of text runs, which are not parsed as Markdown. They were added in version 1.2:
 * https://learn.microsoft.com/en-us/adaptive-cards/schema-explorer/text-run
 */
function adaptiveCard({ title, text, url, acknowledge_url = '' }: Wording): object {
  const acknowledge = acknowledge_url ? [...plainText(ACKNOWLEDGE), ...link(acknowledge_url)] : [];
  const blocks = [heading(title), withLinks(text), link(url), acknowledge].filter((runs) => runs.length > 0);
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    body: blocks.map((inlines) => ({ type: 'RichTextBlock', inlines })),
    ...(acknowledge_url && { actions: [{ type: 'Action.OpenUrl', title: 'Acknowledge', url: acknowledge_url }] }),
  };
}

function heading(title: string): TextRun[] {
  return plainText(title).map((run) => ({ ...run, weight: 'Bolder', size: 'Medium' }));
}

/** The pattern's capturing group makes `split` put the URLs at odd indexes. */
function withLinks(text: string): TextRun[] {
  return text.split(CAPTURED_URL).flatMap((part, index) => (index % 2 === 1 ? link(part) : plainText(part)));
}

/** Splits `{{DATE(…)}}` and `{{TIME(…)}}` between the braces: clients replace them, but only within one run. */
function plainText(text: string): TextRun[] {
  const parts = text ? text.split(/(?<=\{)(?=\{(?:DATE|TIME)\()/) : [];
  return parts.map((part) => ({ type: 'TextRun', text: part }));
}

/** An action opens the URL, because clients don't turn URLs in runs into links. */
function link(url: string): TextRun[] {
  return plainText(url).map((run) => ({ ...run, selectAction: { type: 'Action.OpenUrl', url } }));
}

const OK = 200;
/** Connectors report Teams' own error with a 200: https://github.com/MicrosoftDocs/msteams-docs/issues/1810 */
const HIDDEN_ERROR = /\bdelivery failed with error:.{0,200}?\bHTTP error ([3-5]\d\d)\b/s;

/** Workflows, unlike connectors, answer an error with its status, and with JSON whose `error.message` says why. */
function judge(response: OutboundResponse, now: number, settings: ChannelContext['settings']): Verdict {
  const { status, body } = response;
  const code = Number(status === OK && HIDDEN_ERROR.exec(body)?.[1]);
  if (code)
    return { ...statusVerdict({ ...response, status: code }, now), status, detail: `The receiver answered 200: HTTP error ${code}.`, code };
  const { message } = asObject(jsonObject(body)?.error) ?? {};
  return statusVerdict(response, now, { reason: quote(message, settings.microsoft_teams) });
}
