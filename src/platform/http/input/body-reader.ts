import { applyDecorators, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { MetadataScanner, Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Source } from '../../common/errors';
import { RequestError } from '../request-error';
import { checkIdempotencyKey } from './idempotency-key';
import { unknownName } from './input.pipe';
import { FORM_LIMITS, type FormLimit, mediaType, readBody } from './request-body';
import { limitUpload, UPLOAD_BYTES } from './uploads';

const LIMITS = 'frontdesk:form-limits';
const OWN_BODY = 'frontdesk:own-body';
/** Becomes a sentence in the operation's description. */
export const VALUE_LIMIT_MARK = 'x-value-limit';

/** Raises the number of fields, or the bytes of a value, that a route's body may have; the limit of the whole body stays. */
export function FormLimits(limits: Partial<FormLimit>): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(LIMITS, limits), ...(limits.valueBytes ? [ApiExtension(VALUE_LIMIT_MARK, limits.valueBytes)] : []));
}

/** Leaves the body to a handler that injects the request. */
export function ReadsOwnBody(): MethodDecorator {
  return SetMetadata(OWN_BODY, true);
}

/**
 * Reads the body, after the guards: nobody's is read without a key. Refuses what no pipe of Nest's sees: parameters of a route that
 * declares none, and an Idempotency-Key that it can't handle.
 */
@Injectable()
export class BodyReader {
  private readonly scanner = new MetadataScanner();

  constructor(private readonly reflector: Reflector) {}

  /** Undefined if the request has neither a body nor a query, as most reads. @throws RequestError for what can't be read */
  read(context: ExecutionContext): Promise<void> | undefined {
    const request: Request = context.switchToHttp().getRequest();
    const mayHaveBody = ['POST', 'PUT', 'PATCH'].includes(request.method);
    return mayHaveBody || request.url.includes('?') ? this.readInput(context, request, mayHaveBody) : undefined;
  }

  private async readInput(context: ExecutionContext, request: Request, mayHaveBody: boolean): Promise<void> {
    const method = this.methodOf(context);
    const declared = declaredBy(context, method);
    const takes = (type: RouteParamtypes) => declared.has(type) || declared.has(RouteParamtypes.REQUEST);
    const violations = takes(RouteParamtypes.QUERY) ? [] : unknownNames(request.query, 'query');
    if (mayHaveBody) {
      violations.push(...checkIdempotencyKey(request, context.getClass(), method));
      await this.readBody(context, request, declared);
      if (!takes(RouteParamtypes.BODY)) violations.push(...unknownNames((request.body ?? {}) as object, 'form'));
    }
    if (violations.length > 0) throw new RequestError(violations);
  }

  private async readBody(context: ExecutionContext, request: Request, declared: ReadonlySet<RouteParamtypes>): Promise<void> {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.get<boolean>(OWN_BODY, targets[0])) return;
    const type = mediaType(request);
    const uploadBytes = this.reflector.get<number | undefined>(UPLOAD_BYTES, targets[0]);
    if (uploadBytes !== undefined && type === 'multipart/form-data') return limitUpload(request, uploadBytes);
    // A handler that injects the request may read other types itself.
    const mayBeForeign = declared.has(RouteParamtypes.REQUEST) && !declared.has(RouteParamtypes.BODY);
    if (mayBeForeign && !/^application\/(json|x-www-form-urlencoded)$/.test(type ?? '')) {
      if (type === 'multipart/form-data') throw RequestError.malformed('This request takes no multipart/form-data.');
      return;
    }
    const limits = this.reflector.getAllAndOverride<Partial<FormLimit> | undefined>(LIMITS, targets);
    request.body = await readBody(request, context.switchToHttp().getResponse<Response>(), { ...FORM_LIMITS, ...limits });
  }

  /** Not `getHandler().name`: a decorator may have wrapped the method. */
  private methodOf(context: ExecutionContext): string {
    const prototype = context.getClass().prototype as Record<string, unknown>;
    return this.scanner.getAllMethodNames(prototype).find((name) => prototype[name] === context.getHandler()) ?? '';
  }
}

/** What a route's parameters are bound to. Nest's own metadata, with keys such as `3:0`: this is the only place that reads it. */
function declaredBy(context: ExecutionContext, method: string): ReadonlySet<RouteParamtypes> {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), method) ?? {}) as object;
  return new Set(Object.keys(parameters).map((key) => Number(key.split(':')[0])));
}

function unknownNames(given: object, where: Source['in']) {
  return Object.keys(given).map((name) => unknownName(name, where));
}
