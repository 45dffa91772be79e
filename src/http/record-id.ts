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

/** The id in the path, as a number. */
export const RecordId = createParamDecorator((name: string, context: ExecutionContext): number =>
  recordIdOf(context.switchToHttp().getRequest(), name),
);

/** An id that is too great for any record stays so; it names none. */
export function recordIdOf({ params }: Pick<Request, 'params'>, name: string): number {
  return Math.min(Number(params[name]), Number.MAX_SAFE_INTEGER);
}
