import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config';
import { Attempt } from './attempt';
import { HttpClient } from './http/http-client';
import type { MailResponse, OutboundMail, OutboundRequest, OutboundResponse, SendOptions } from './outbound-request';
import { sendMail } from './smtp/smtp-client';

/** Everything that goes out to the network passes through here. */
@Injectable()
export class Outbound implements OnApplicationShutdown {
  private readonly http: HttpClient;

  constructor(private readonly config: Config) {
    this.http = new HttpClient(config.outbound);
  }

  /** @throws OutboundError */
  async post(request: OutboundRequest, options: SendOptions): Promise<OutboundResponse> {
    return during(options, (attempt) => this.http.post(request, attempt));
  }

  /** Sends through SMTP_URL, which must be set. @throws OutboundError */
  async mail(mail: OutboundMail, options: SendOptions): Promise<MailResponse> {
    const account = this.config.channels.smtp;
    if (!account) throw new Error('Mail needs SMTP_URL.');
    return during(options, (attempt) => sendMail(account, mail, attempt));
  }

  onApplicationShutdown(): void {
    this.http.destroy();
  }
}

async function during<T>(options: SendOptions, work: (attempt: Attempt) => Promise<T>): Promise<T> {
  const attempt = new Attempt(options);
  try {
    attempt.throwIfEnded();
    return await work(attempt);
  } finally {
    attempt.close();
  }
}
