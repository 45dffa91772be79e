import { type CanActivate, type ExecutionContext, Injectable, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { ApplicationConfig, ModuleRef, Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { parseBody } from './body-parser';
import { checkDecorators, type CheckedInput, checkFields, type RawInput } from './check-input';
import { type DeclaredInput, type InputCheck, NoParameters, readDeclaredInput } from './declared-input';
import { findUnknown } from './declared-names';
import { malformed, parseForm } from './parsers';
import { checkIdempotencyKey } from './idempotency-key';
import type { Pipe } from '../server/nest-metadata';
import { perRoute } from '../server/per-route';
import { RequestError, type Source, type Violation } from '../errors/request-error';
import { isUpload, prepareUpload } from './uploads';

/** Finds what is wrong with a form that only the stored record tells. */
export interface FormChecker {
  findViolations(request: Request): Promise<Violation[]>;
}

/** Names a checker for violations that only the stored record reveals; it is asked when the form is refused anyway. */
export const FormCheckedBy = Reflector.createDecorator<Type<FormChecker>>();

/**
 * Checks the query and the body of a request against the DTOs that its handler declares, and hands them over as these.
 * One step for both, where Nest's pipes run per parameter and stop at the first that fails: every violation of a request
 * is in one answer. A guard because of when it runs: after authentication, so no body is parsed without a key. An
 * interceptor would slow every route (bench/RESULTS.md).
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

  /** Nest has built the routes: a global pipe that comes later runs on none of them. */
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
      if (isUpload(request)) throw malformed('A body may not hold a file.');
      return [];
    }
    if (body === 'request' || body === 'any') {
      request.body = await parseBody(request, response);
      return [];
    }
    const raw = body.by === 'fields' ? await parseForm(request, response) : await parseObject(request, response);
    const { value, violations } = await runCheck(body, raw, 'form');
    request.body = value;
    return violations;
  }

  /** Further violations, except for fields already reported. */
  private async findMore(context: ExecutionContext, known: Violation[]): Promise<Violation[]> {
    const checker = this.reflector.get(FormCheckedBy, context.getHandler());
    if (!checker) return [];
    const named = new Set(known.map(({ source }) => source?.name));
    const found = await this.modules.get(checker, { strict: false }).findViolations(context.switchToHttp().getRequest());
    return found.filter(({ source }) => !named.has(source?.name));
  }
}

/** Synchronous for `@Field`s, as on all routes of the interface: awaiting would delay every read. */
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

async function runCheck(check: InputCheck, raw: RawInput, where: Source['in']): Promise<CheckedInput<object>> {
  if (check.named.length === 0) return checkDto(check, raw, where);
  const named = Object.fromEntries(check.named.filter((name) => name in raw).map((name) => [name, raw[name]]));
  const ofDto = Object.fromEntries(Object.entries(raw).filter(([name]) => !(name in named)));
  const { value, violations } = await checkDto(check, ofDto, where);
  return { value: Object.assign(value, named), violations };
}

async function checkDto({ dto, by }: InputCheck, raw: RawInput, where: Source['in']): Promise<CheckedInput<object>> {
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
