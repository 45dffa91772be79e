import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config';
import {
  type MailResponse,
  type OutboundMail,
  type OutboundRequest,
  type OutboundResponse,
  type SendOptions,
  SendScope,
} from './outbound-request';
import { HttpClient } from './http-client';
import { sendMail } from './smtp-client';

/** All outgoing HTTP requests and mails. */
@Injectable()
export class Outbound implements OnApplicationShutdown {
  private readonly http: HttpClient;

  constructor(private readonly config: Config) {
    this.http = new HttpClient(config.outbound);
  }

  /** @throws OutboundError */
  async post(request: OutboundRequest, options: SendOptions): Promise<OutboundResponse> {
    return during(options, (scope) => this.http.post(request, scope));
  }

  /** Sends through SMTP_URL, which must be set. @throws OutboundError */
  async mail(mail: OutboundMail, options: SendOptions): Promise<MailResponse> {
    const account = this.config.channels.smtp;
    if (!account) throw new Error('Mail needs SMTP_URL.');
    return during(options, (scope) => sendMail(account, mail, scope));
  }

  onApplicationShutdown(): void {
    this.http.destroy();
  }
}

async function during<T>(options: SendOptions, work: (scope: SendScope) => Promise<T>): Promise<T> {
  const scope = new SendScope(options);
  try {
    scope.throwIfEnded();
    return await work(scope);
  } finally {
    scope.close();
  }
}
