import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import passport from 'passport';
import { Strategy } from 'passport-http-bearer';
import { ApiKeysService, type Caller } from './accounts/api-keys.service';
import { REALM } from './challenges';

let instanceCount = 0;

@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy) implements OnApplicationShutdown {
  constructor(private readonly apiKeys: ApiKeysService) {
    super({ realm: REALM });
  }

  /**
   * Called before the strategy is registered. Its name is unique to the application: under `bearer`, Passport would use the strategy of the
   * process's newest application. The guard can't use the instance instead: Passport copies only registered strategies for each request,
   * and concurrent requests would get each other's callers.
   */
  getPassportInstance(): typeof passport {
    this.name = `bearer ${++instanceCount}`;
    return passport;
  }

  /** Passport is global to the process, and would keep a stopped application alive. By now, the server accepts no requests. */
  onApplicationShutdown(): void {
    passport.unuse(this.name);
  }

  /**
   * Passes on only the header: the strategy would also accept an `access_token` in the query or the body. It also accepts only one space
   * before the key, where RFC 9110, section 11.4, allows several.
   */
  override authenticate({ headers }: Request): void {
    super.authenticate({ headers: { authorization: headers.authorization?.replace(/ +/, ' ') } } as Request);
  }

  async validate(key: string): Promise<Caller | false> {
    return (await this.apiKeys.authenticate(key)) ?? false;
  }
}
