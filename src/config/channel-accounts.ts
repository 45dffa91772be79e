/** The operator's accounts at the services that channels send through. */
export interface ChannelAccounts {
  smtp?: SmtpAccount;
  /** Without a trailing slash. */
  telegramApiUrl: string;
  twilioApiUrl: string;
  twilio?: TwilioAccount;
}

export interface SmtpAccount {
  host: string;
  port: number;
  /** TLS from the first byte (`smtps://`); otherwise upgraded when the server offers it. */
  isImplicitTls: boolean;
  user?: string;
  password?: string;
  /** MAIL_FROM: an address, or `Name <address>`. */
  from: string;
}

export interface TwilioAccount {
  sid: string;
  token: string;
  /** Phone number; needed for calls. */
  from?: string;
  messagingServiceSid?: string;
  whatsappFrom?: string;
  whatsappContentSid?: string;
}

export function readChannelAccounts(): ChannelAccounts {
  return { telegramApiUrl: 'https://api.telegram.org', twilioApiUrl: 'https://api.twilio.com' };
}
