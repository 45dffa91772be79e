import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { RequestError } from './request-error';

/**
 * Refuses a path whose id is not digits. It stands before the bearer guard: such an address is wrong for everybody, and
 * saying so tells of no record.
 */
@Injectable()
export class RecordIdGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { params } = context.switchToHttp().getRequest<Request>();
    const wrong = Object.keys(params).find((name) => !/^\d+$/.test(String(params[name])));
    if (wrong) throw RequestError.of('invalid_parameter', `${wrong} must be an integer, in digits.`, { in: 'path', name: wrong });
    return true;
  }
}

/** The id in the path, as a number. One too great for any record stays so; it names none. */
export const RecordId = createParamDecorator((name: string, context: ExecutionContext): number => {
  const { params } = context.switchToHttp().getRequest<Request>();
  return Math.min(Number(params[name]), Number.MAX_SAFE_INTEGER);
});
