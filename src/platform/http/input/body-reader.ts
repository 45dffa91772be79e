import { applyDecorators, type ExecutionContext, Injectable, SetMetadata, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { MetadataScanner, Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { RequestError, type ViolationSource, type Violation } from '../../common/errors';
import { PerRoute, type RouteHandler } from '../per-route';
import { checkIdempotencyKey } from './idempotency-key';
import { unknownFieldViolation } from './validation.pipe';
import { FORM_LIMITS, type FormLimit, mediaType, readBody } from './request-body';
import { limitUpload, UPLOAD_BYTES_KEY } from './uploads';

const LIMITS_KEY = 'frontdesk:form-limits';
const OWN_BODY_KEY = 'frontdesk:own-body';
/** Becomes a sentence in the operation's description. */
export const VALUE_LIMIT_MARK = 'x-value-limit';

/** Raises a route's limit on the number of fields or the bytes per value; the limit on the whole body stays. */
export function FormLimits(limits: Partial<FormLimit>): MethodDecorator & ClassDecorator {
  return applyDecorators(
    SetMetadata(LIMITS_KEY, limits),
    ...(limits.valueBytes ? [ApiExtension(VALUE_LIMIT_MARK, limits.valueBytes)] : []),
  );
}

/** Leaves the body to a handler that injects the request. */
export function ReadsOwnBody(): MethodDecorator {
  return SetMetadata(OWN_BODY_KEY, true);
}

interface RouteInput {
  readonly controller: Type;
  readonly method: string;
  /** The kinds of input that the handler's parameters are bound to. */
  readonly inputs: ReadonlySet<RouteParamtypes>;
  readonly readsOwnBody: boolean;
  readonly uploadBytes?: number;
  readonly limits: FormLimit;
}

/**
 * Reads the body after the guards have run, so never for a request without a key. Refuses what Nest's pipes don't see: parameters of a route
 * that declares none, and an Idempotency-Key that the route can't handle.
 */
@Injectable()
export class BodyReader {
  private readonly scanner = new MetadataScanner();
  private readonly routes = new PerRoute((controller, handler) => this.inputOf(controller, handler));

  constructor(private readonly reflector: Reflector) {}

  /** Undefined if, as usual, the request has no body to read. @throws RequestError if the body is invalid, or the input is not accepted */
  read(context: ExecutionContext): Promise<void> | undefined {
    const request: Request = context.switchToHttp().getRequest();
    const mayHaveBody = ['POST', 'PUT', 'PATCH'].includes(request.method);
    if (!mayHaveBody && !request.url.includes('?')) return undefined;
    const route = this.routes.of(context);
    const violations = acceptsInput(route, RouteParamtypes.QUERY) ? [] : unknownNames(request.query, 'query');
    if (mayHaveBody) return this.readInput(request, context.switchToHttp().getResponse(), route, violations);
    throwIfAny(violations);
    return undefined;
  }

  private async readInput(request: Request, response: Response, route: RouteInput, violations: Violation[]): Promise<void> {
    violations.push(...checkIdempotencyKey(request, route.controller, route.method));
    await this.readBody(request, response, route);
    if (!acceptsInput(route, RouteParamtypes.BODY)) violations.push(...unknownNames((request.body ?? {}) as object, 'form'));
    throwIfAny(violations);
  }

  private async readBody(request: Request, response: Response, { inputs, readsOwnBody, uploadBytes, limits }: RouteInput): Promise<void> {
    if (readsOwnBody) return;
    const type = mediaType(request);
    if (uploadBytes !== undefined && type === 'multipart/form-data') return limitUpload(request, uploadBytes);
    // A handler that injects the request may read other types itself.
    const mayReadOtherTypes = inputs.has(RouteParamtypes.REQUEST) && !inputs.has(RouteParamtypes.BODY);
    if (mayReadOtherTypes && !/^application\/(json|x-www-form-urlencoded)$/.test(type ?? '')) {
      if (type === 'multipart/form-data') throw RequestError.malformed('This request takes no multipart/form-data.');
      return;
    }
    request.body = await readBody(request, response, limits);
  }

  private inputOf(controller: Type, handler: RouteHandler): RouteInput {
    const prototype = controller.prototype as Record<string, unknown>;
    // Found by identity, because a decorator that wraps the method may change its name.
    const method = this.scanner.getAllMethodNames(prototype).find((name) => prototype[name] === handler) ?? '';
    // Nest's own metadata, with keys such as `3:0`: this is the only place that reads it.
    const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as object;
    return {
      controller,
      method,
      inputs: new Set(Object.keys(parameters).map((key) => Number(key.split(':')[0]))),
      readsOwnBody: this.reflector.get<boolean | undefined>(OWN_BODY_KEY, handler) ?? false,
      uploadBytes: this.reflector.get<number | undefined>(UPLOAD_BYTES_KEY, handler),
      limits: {
        ...FORM_LIMITS,
        ...this.reflector.getAllAndOverride<Partial<FormLimit> | undefined>(LIMITS_KEY, [handler, controller]),
      },
    };
  }
}

function acceptsInput({ inputs }: RouteInput, type: RouteParamtypes): boolean {
  return inputs.has(type) || inputs.has(RouteParamtypes.REQUEST);
}

function throwIfAny(violations: Violation[]): void {
  if (violations.length > 0) throw new RequestError(violations);
}

function unknownNames(input: object, where: ViolationSource['in']) {
  return Object.keys(input).map((name) => unknownFieldViolation(name, where));
}
