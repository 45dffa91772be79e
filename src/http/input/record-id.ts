import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { RequestError } from '../errors/request-error';

const RECORD_IDS = 'frontdesk:record-ids';

/**
 * Refuses a path whose record id is not digits. It comes before the bearer guard: such an address is wrong for everybody,
 * and saying so gives no record away. Other path parameters are left to the route's own pipes.
 */
@Injectable()
export class RecordIdGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const names: string[] | undefined = Reflect.getMetadata(RECORD_IDS, context.getHandler());
    if (!names) return true;
    const { params } = context.switchToHttp().getRequest<Request>();
    const wrong = names.find((name) => !/^\d+$/.test(String(params[name])));
    if (wrong) throw RequestError.of('invalid_parameter', `${wrong} must be an integer, in digits.`, { in: 'path', name: wrong });
    return true;
  }
}

/** The id of a record in the path, as a number. */
export function RecordId(name: string): ParameterDecorator {
  return (target, key, index) => {
    const handler = (target as Record<string | symbol, object>)[key!];
    const names: string[] = Reflect.getMetadata(RECORD_IDS, handler) ?? [];
    Reflect.defineMetadata(RECORD_IDS, [...names, name], handler);
    RecordIdParameter(name)(target, key, index);
  };
}

const RecordIdParameter = createParamDecorator((name: string, context: ExecutionContext): number =>
  recordIdOf(context.switchToHttp().getRequest(), name),
);

/** An id too large for any record stays so large; it names none. */
export function recordIdOf({ params }: Pick<Request, 'params'>, name: string): number {
  return Math.min(Number(params[name]), Number.MAX_SAFE_INTEGER);
}
