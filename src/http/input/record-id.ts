import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { RequestError } from '../errors/request-error';

const RECORD_IDS = 'frontdesk:record-ids';

/**
 * Refuses record ids that are not digits. Runs before the bearer guard, since the error reveals nothing about records. Other
 * path parameters are left to the route's own pipes.
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

/** A record id in the path, as a number. */
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

/** Clamped: a long digit string would become Infinity, and no id is this large. */
export function recordIdOf({ params }: Pick<Request, 'params'>, name: string): number {
  return Math.min(Number(params[name]), Number.MAX_SAFE_INTEGER);
}
