import { domainToASCII } from 'node:url';
import type { MailResponse, OutboundMail } from '../../outbound/outbound-request';
import type { ChannelContext, MailChannel, Outgoing, Verdict } from './channel';
import { cut, lines } from './content/text-fit';
import { requireSetting, requireVariable } from './requests/required';

/** Recommended maximum of a line: https://www.rfc-editor.org/rfc/rfc5322#section-2.1.1 */
const MAX_SUBJECT = 78;

export const EMAIL: MailChannel = { transport: 'smtp', isPaid: false, mail, judge };

function mail(outgoing: Outgoing, { settings, accounts }: ChannelContext): OutboundMail {
  const to = requireSetting(settings, 'email');
  const { from } = requireVariable(accounts.smtp, 'SMTP_URL and MAIL_FROM');
  return {
    to,
    subject: subjectOf(outgoing),
    text: lines(outgoing),
    messageId: `<${localPartOf(outgoing)}@${domainOf(from)}>`,
    headers: { 'Auto-Submitted': 'auto-generated' }, // RFC 3834: no automatic replies
  };
}

/** A single line: a line break would start another header. */
function subjectOf({ title, text }: Outgoing): string {
  const firstLine = text.split('\n').find((line) => line.trim()) ?? '';
  return (title || cut(firstLine, MAX_SUBJECT)).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** The same in every attempt, so that receivers can drop a duplicate. */
function localPartOf({ deliveryId, webhookId }: Outgoing): string {
  return deliveryId === null ? webhookId : `delivery-${deliveryId}`;
}

/** The domain of an address, or of `Name <address>`. */
function domainOf(from: string): string {
  return domainToASCII(from.slice(from.lastIndexOf('@') + 1).replace(/>\s*$/, ''));
}

/** The first digit decides: https://www.rfc-editor.org/rfc/rfc5321#section-4.2.1 */
function judge({ code }: MailResponse): Verdict {
  const detail = `The mail server answered ${code}.`;
  if (code >= 200 && code < 300) return { outcome: 'delivered', isFinal: true, status: code, detail };
  if (code >= 500 && code < 600) return { outcome: 'rejected', isFinal: true, status: code, detail };
  return { outcome: 'server_error', isFinal: false, status: code, detail };
}
