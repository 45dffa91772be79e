import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-http-bearer';
import { ApiKeysService } from './keys/api-keys.service';
import type { Caller } from './caller';
import { REALM } from './www-authenticate';

@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy) {
  constructor(private readonly apiKeys: ApiKeysService) {
    super({ realm: REALM });
  }

  /** Passes on only the header: the strategy would also accept an `access_token` in the query or the body. */
  override authenticate(request: Request): void {
    super.authenticate({ headers: { authorization: request.headers.authorization } } as Request);
  }

  async validate(key: string): Promise<Caller | false> {
    return (await this.apiKeys.authenticate(key)) ?? false;
  }
}
