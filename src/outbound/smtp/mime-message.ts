import MailComposer from 'nodemailer/lib/mail-composer';
import type { SMTPEnvelope } from 'nodemailer/lib/smtp-connection';
import type { OutboundMail } from '../outbound-request';

export interface MimeMessage {
  envelope: SMTPEnvelope;
  content: Buffer;
}

/** A text/plain mail. nodemailer turns line breaks in headers and addresses into spaces: no value adds a header or a recipient. */
export async function composeMail({ to, subject, text, messageId, headers }: OutboundMail, from: string): Promise<MimeMessage> {
  const recipient = { name: '', address: to }; // a string would be read as a list
  const access = { disableFileAccess: true, disableUrlAccess: true };
  const message = new MailComposer({ from, to: recipient, subject, text, messageId, headers, ...access }).compile();
  return { envelope: message.getEnvelope(), content: await message.build() };
}
