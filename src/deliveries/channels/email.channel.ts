import { domainOf } from '../../platform/config/channel-accounts';
import type { MailResponse, OutboundMail } from '../../platform/outbound/outbound-request';
import { type ChannelContext, type MailChannel, type OutgoingMessage, requireSetting, requireVariable, type Verdict } from './channel';
import { ACKNOWLEDGE, cut } from './text-fit';

/** Recommended maximum length of a line, in characters: https://www.rfc-editor.org/rfc/rfc5322#section-2.1.1 */
const MAX_SUBJECT = 78;

/** Authentication is required, too weak, failed, or needs encryption: https://www.rfc-editor.org/rfc/rfc4954#section-6 */
const LOGIN_REFUSALS = new Set([530, 534, 535, 538]);

/**
 * How Postfix (`Relay access denied`), Exchange (`Unable to relay`), Exim (`relay not permitted`), Sendmail (`Relaying denied`) and qmail
 * (`not in my list of allowed rcpthosts`) refuse to relay.
 */
const RELAY_DENIED =
  /\brelay(ing)?( access| is| was)? (denied|not (permitted|allowed|authori[sz]ed)|prohibited|refused)|(unable|not (permitted|allowed|authori[sz]ed)|cannot|do(es)? not|don't|won't) (to )?relay\b|rcpthosts/i;

export const EMAIL: MailChannel = { transport: 'smtp', isPaid: false, mail, judge };

function mail(outgoing: OutgoingMessage, context: ChannelContext): OutboundMail {
  const { settings, accounts } = context;
  const to = requireSetting(settings, 'email');
  const { from } = requireVariable(accounts.smtp, 'SMTP_URL and MAIL_FROM');
  const subject = subjectOf(outgoing);
  return {
    to,
    subject,
    wording: { title: subject, text: outgoing.text, url: outgoing.url, acknowledge_url: outgoing.acknowledge_url },
    text: bodyOf(outgoing, context),
    messageId: `<${localPartOf(outgoing)}@${domainOf(from)}>`,
    // No automatic replies: RFC 3834, and Exchange's own header.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  };
}

/** The subject is one line: a line break would start another header. */
function subjectOf({ title, text }: OutgoingMessage): string {
  const firstLine = text.split('\n').find((line) => line.trim()) ?? '';
  const beginning = cut(firstLine, MAX_SUBJECT);
  // `cut` never splits a URL. If the line begins with a long one, split it, so that more than `…` is left.
  const subject =
    beginning === '…'
      ? `${Array.from(firstLine)
          .slice(0, MAX_SUBJECT / 2)
          .join('')}…`
      : beginning;
  return (title || subject).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** Mail programs recognize a signature by `-- `, with the space: https://www.rfc-editor.org/rfc/rfc3676#section-4.3 */
function bodyOf({ text, url, acknowledge_url }: OutgoingMessage, { handlerName, accountName }: ChannelContext): string {
  return [text, url, acknowledge_url && ACKNOWLEDGE + acknowledge_url, `-- \n${handlerName}, an alert of ${accountName}`]
    .filter(Boolean)
    .join('\n\n');
}

/** The same in every attempt, so that receivers can drop a duplicate. */
function localPartOf({ deliveryId, part, webhookId }: OutgoingMessage): string {
  if (deliveryId === null) return webhookId;
  return part === null ? `delivery-${deliveryId}` : `${part}.${deliveryId}`;
}

/** The reply code's first digit decides, unless the server refuses this service: https://www.rfc-editor.org/rfc/rfc5321#section-4.2.1 */
function judge(response: MailResponse): Verdict {
  const { status, code } = response;
  const result = { status, code, detail: `The mail server answered ${code ? `${status} ${code}` : status}.` };
  if (status >= 200 && status < 300) return { ...result, outcome: 'delivered', isFinal: true };
  if (refusesService(response)) return { ...result, outcome: 'operator_error', isFinal: false, variable: 'SMTP_URL' };
  if (status >= 500 && status < 600) return { ...result, outcome: 'rejected', isFinal: true };
  return { ...result, outcome: 'server_error', isFinal: false };
}

/** Whether a reply refuses this service (its EHLO name, login or address) rather than the mail. */
function refusesService({ step, status, text }: MailResponse): boolean {
  if (step === 'greeting') return true;
  if (step !== 'content' && LOGIN_REFUSALS.has(status)) return true;
  return step === 'recipient' && status >= 500 && deniesRelay(text);
}

/** Reads the text, because no status code is specific to relaying: 5.7.1, for example, covers any policy. Ignores mail addresses. */
function deniesRelay(text: string): boolean {
  const words = text.replace(/<[^>]*>|\S*@\S*/g, '');
  return RELAY_DENIED.test(words);
}
