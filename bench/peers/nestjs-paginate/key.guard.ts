import { createHash } from 'node:crypto';
import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { ApiKey } from './api-key.entity';

type AuthorizedRequest = { headers: { authorization?: string }; accountId: number };

@Injectable()
export class KeyGuard implements CanActivate {
  constructor(@InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthorizedRequest>();
    const [type, key] = request.headers.authorization?.split(' ') ?? [];
    if (type !== 'Bearer' || !key) throw new UnauthorizedException();
    const found = await this.keys.findOneBy({ key_hash: createHash('sha256').update(key).digest('hex') });
    if (!found) throw new UnauthorizedException();
    request.accountId = found.account_id;
    return true;
  }
}

export const AccountId = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<AuthorizedRequest>().accountId,
);
