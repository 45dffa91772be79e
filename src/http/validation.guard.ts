import { type CanActivate, type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { ApplicationConfig, ModuleRef, Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { parseBody } from './body-parser';
import { checkDecorators, type CheckedInput, checkFields, type RawInput } from './check-input';
import { type DeclaredInput, type InputCheck, NoParameters, readDeclaredInput } from './declared-input';
import { findUnknown } from './declared-names';
import { malformed, parseForm } from './form-parser';
import { checkIdempotencyKey } from './idempotency-key';
import { perRoute } from './per-route';
import { RequestError, type Source, type Violation } from './request-error';
import { leavesToInterceptor } from './uploads';

/** Finds what is wrong with a form that only the stored record tells. */
export interface FormChecker {
  findViolations(request: Request): Promise<Violation[]>;
}

/** Names who is asked, when a route's form is refused, for what its DTO can't know: so that every violation is in one answer. */
export const AlsoCheckedBy = Reflector.createDecorator<Type<FormChecker>>();

/**
 * Checks the query and the body of a request against the DTOs that its handler declares, and hands them over as these.
 * One step for both, where Nest's pipes run per parameter and stop at the first that fails: every violation of a request
 * is in one answer. A guard by its place: behind the others, so that nobody without a key has a body parsed, and before
 * the interceptors, of which a route without any is answered in less time (bench/RESULTS.md).
 */
@Injectable()
export class ValidationGuard implements CanActivate {
  private readonly declared = perRoute((controller, handler) => readDeclaredInput(controller, handler, this.application.getGlobalPipes()));

  constructor(
    private readonly reflector: Reflector,
    private readonly modules: ModuleRef,
    private readonly application: ApplicationConfig,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { query, path, body } = this.declared(context);
    const ofQuery = checkQuery(query, context.switchToHttp().getRequest());
    if (path || body || !Array.isArray(ofQuery)) return this.checkAll(context, ofQuery);
    refuseIfAny(ofQuery);
    return true;
  }

  private async checkAll(context: ExecutionContext, ofQuery: Violation[] | Promise<Violation[]>): Promise<boolean> {
    const { path, body } = this.declared(context);
    const request: Request = context.switchToHttp().getRequest();
    const ofPath = path ? (await runCheck(path, request.params, 'path')).violations : [];
    const ofBody = body ? await this.checkBody(context, body) : [];
    const others = [...(await ofQuery), ...ofPath, ...(body ? checkIdempotencyKey(request) : [])];
    if (others.length + ofBody.length > 0) ofBody.push(...(await this.findMore(context, ofBody)));
    refuseIfAny([...others, ...ofBody]);
    return true;
  }

  private async checkBody(context: ExecutionContext, body: NonNullable<DeclaredInput['body']>): Promise<Violation[]> {
    const request: Request = context.switchToHttp().getRequest();
    const response: Response = context.switchToHttp().getResponse();
    if (leavesToInterceptor(context.getHandler(), request)) return [];
    if (body === 'request' && !hasParsableBody(request)) return [];
    if (body === 'request' || body === 'any') {
      request.body = await parseBody(request, response);
      return [];
    }
    const raw = body.by === 'fields' ? await parseForm(request, response) : await parseObject(request, response);
    const { value, violations } = await runCheck(body, raw, 'form');
    request.body = value;
    return violations;
  }

  /** What else is wrong with a form that is refused anyway, but for the fields that are named already. */
  private async findMore(context: ExecutionContext, known: Violation[]): Promise<Violation[]> {
    const checker = this.reflector.get(AlsoCheckedBy, context.getHandler());
    if (!checker) return [];
    const named = new Set(known.map(({ source }) => source?.name));
    const found = await this.modules.get(checker, { strict: false }).findViolations(context.switchToHttp().getRequest());
    return found.filter(({ source }) => !named.has(source?.name));
  }
}

/** At once where texts are checked, as on all routes of the interface: a promise would cost each read a turn. */
function checkQuery(query: DeclaredInput['query'], request: Request): Violation[] | Promise<Violation[]> {
  if (!query) return [];
  const raw = request.url.includes('?') ? (request.query as RawInput) : {};
  const check: InputCheck = typeof query === 'function' ? { dto: query(raw), by: 'fields' } : query;
  const take = ({ value, violations }: CheckedInput<object>) => {
    if (check.dto !== NoParameters) Object.defineProperty(request, 'query', { value });
    return violations;
  };
  return check.by === 'fields' ? take(checkFields(check.dto, raw, 'query')) : runCheck(check, raw, 'query').then(take);
}

async function runCheck({ dto, by }: InputCheck, raw: RawInput, where: Source['in']): Promise<CheckedInput<object>> {
  switch (by) {
    case 'fields':
      return checkFields(dto, raw, where);
    case 'decorators':
      return checkDecorators(dto, raw, where);
    case 'names':
      return { value: raw, violations: findUnknown(dto, raw, where) };
    case 'nothing':
      return { value: raw, violations: [] };
  }
}

/** A handler that reads the request itself may want another type of body as a stream. */
function hasParsableBody({ method, headers }: Request): boolean {
  return ['POST', 'PUT', 'PATCH'].includes(method) && /^application\/(json|x-www-form-urlencoded)\b/i.test(headers['content-type'] ?? '');
}

async function parseObject(request: Request, response: Response): Promise<RawInput> {
  const body = await parseBody(request, response);
  if (Array.isArray(body)) throw malformed('A JSON body must be an object.');
  return body as RawInput;
}

function refuseIfAny(violations: Violation[]): void {
  if (violations.length > 0) throw new RequestError(violations);
}
