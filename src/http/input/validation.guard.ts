import { type CanActivate, type ExecutionContext, Injectable, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { ApplicationConfig, ModuleRef, Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { RequestError, type Source, type Violation } from '../errors/request-error';
import { perRoute, type Pipe } from '../server/nest-metadata';
import { checkDecorators, type CheckedInput, checkFields, findUnknown, type RawInput, refuseIfAny } from './check-input';
import { type DeclaredInput, type InputCheck, NoParameters, readDeclaredInput } from './declared-input';
import { checkIdempotencyKey } from './idempotency-key';
import { parseBody, parseForm } from './parsers';
import { isUpload, prepareUpload } from './uploads';

/** Finds violations in a form that depend on the stored record. */
export interface FormChecker {
  findViolations(request: Request): Promise<Violation[]>;
}

/** Sets a route's checker; it is asked only when the form is refused anyway. */
export const FormCheckedBy = Reflector.createDecorator<Type<FormChecker>>();

/**
 * Checks query, path and body against the handler's DTOs and replaces them by DTO instances. One step, so that a response
 * lists every violation; Nest's pipes run per parameter and stop at the first. A guard, so that it runs after authentication
 * and no body is parsed without a key; an interceptor would slow every route (bench/RESULTS.md).
 */
@Injectable()
export class ValidationGuard implements CanActivate, OnApplicationBootstrap {
  private readonly declared = perRoute((controller, handler) => readDeclaredInput(controller, handler, this.globalPipes));
  private globalPipes: readonly Pipe[] = [];

  constructor(
    private readonly reflector: Reflector,
    private readonly modules: ModuleRef,
    private readonly application: ApplicationConfig,
  ) {}

  /** Routes are built by now: global pipes added later don't run on them. */
  onApplicationBootstrap(): void {
    this.globalPipes = [...this.application.getGlobalPipes()];
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { query, path, body } = this.declared(context);
    const request: Request = context.switchToHttp().getRequest();
    const ofQuery = checkQuery(query, request);
    if (path || body || isUpload(request) || !Array.isArray(ofQuery)) return this.checkAll(context, ofQuery);
    refuseIfAny(ofQuery);
    return true;
  }

  private async checkAll(context: ExecutionContext, ofQuery: Violation[] | Promise<Violation[]>): Promise<boolean> {
    const { path, body } = this.declared(context);
    const request: Request = context.switchToHttp().getRequest();
    const ofPath = path ? await checkPath(path, request) : [];
    const ofBody = await this.checkBody(context, body);
    const others = [...(await ofQuery), ...ofPath, ...(body ? checkIdempotencyKey(request) : [])];
    if (others.length + ofBody.length > 0) ofBody.push(...(await this.findMore(context, ofBody)));
    refuseIfAny([...others, ...ofBody]);
    return true;
  }

  private async checkBody(context: ExecutionContext, body: DeclaredInput['body']): Promise<Violation[]> {
    const request: Request = context.switchToHttp().getRequest();
    const response: Response = context.switchToHttp().getResponse();
    if (prepareUpload(context.getHandler(), request)) return [];
    if (!body || (body === 'request' && !hasParsableBody(request))) {
      if (isUpload(request)) throw RequestError.malformed('A body may not hold a file.');
      return [];
    }
    const isForm = typeof body === 'object' && body.by === 'fields';
    const raw = isForm ? await parseForm(request, response) : await parseBody(request, response);
    if (typeof body === 'object' && Array.isArray(raw)) throw RequestError.malformed('A JSON body must be an object.');
    const { value, violations } = typeof body === 'object' ? await runCheck(body, raw as RawInput, 'form') : { value: raw, violations: [] };
    request.body = value;
    return violations;
  }

  /** Further violations, in fields not reported yet. */
  private async findMore(context: ExecutionContext, known: Violation[]): Promise<Violation[]> {
    const checker = this.reflector.get(FormCheckedBy, context.getHandler());
    if (!checker) return [];
    const named = new Set(known.map(({ source }) => source?.name));
    const found = await this.modules.get(checker, { strict: false }).findViolations(context.switchToHttp().getRequest());
    return found.filter(({ source }) => !named.has(source?.name));
  }
}

/** Synchronous for `@Field`s, as all routes of the interface have: awaiting would delay every read. */
function checkQuery(query: DeclaredInput['query'], request: Request): Violation[] | Promise<Violation[]> {
  if (!query) return [];
  const raw = request.url.includes('?') ? (request.query as RawInput) : {};
  const check: InputCheck = typeof query === 'function' ? { dto: query(raw), named: [], by: 'fields' } : query;
  const take = ({ value, violations }: CheckedInput<object>) => {
    if (check.dto !== NoParameters) Object.defineProperty(request, 'query', { value });
    return violations;
  };
  return check.by === 'fields' && check.named.length === 0
    ? take(checkFields(check.dto, raw, 'query'))
    : runCheck(check, raw, 'query').then(take);
}

async function checkPath(check: InputCheck, request: Request): Promise<Violation[]> {
  const { value, violations } = await runCheck(check, request.params, 'path');
  request.params = value as Request['params'];
  return violations;
}

/** Parameters that the handler reads by name bypass the DTO's check. */
async function runCheck({ dto, named, by }: InputCheck, raw: RawInput, where: Source['in']): Promise<CheckedInput<object>> {
  const isNamed = ([name]: [string, unknown]) => named.includes(name);
  const ofDto = named.length > 0 ? Object.fromEntries(Object.entries(raw).filter((entry) => !isNamed(entry))) : raw;
  const { value, violations } = await checkDto(dto, by, ofDto, where);
  return { value: Object.assign(value, Object.fromEntries(Object.entries(raw).filter(isNamed))), violations };
}

async function checkDto(dto: Type<object>, by: InputCheck['by'], raw: RawInput, where: Source['in']): Promise<CheckedInput<object>> {
  if (by === 'fields') return checkFields(dto, raw, where);
  if (by === 'decorators') return checkDecorators(dto, raw, where);
  return { value: raw, violations: by === 'names' ? findUnknown(dto, raw, where) : [] };
}

/** A handler that takes the request itself may stream a body of any other type. */
function hasParsableBody({ method, headers }: Request): boolean {
  return ['POST', 'PUT', 'PATCH'].includes(method) && /^application\/(json|x-www-form-urlencoded)\b/i.test(headers['content-type'] ?? '');
}
