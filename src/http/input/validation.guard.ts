import { type CanActivate, type ExecutionContext, Injectable, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { ApplicationConfig, ModuleRef, Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { RequestError, type Violation } from '../errors/request-error';
import { perRoute, type Pipe } from '../server/nest-metadata';
import { type CheckedInput, type RawInput, refuseIfAny } from './check-input';
import { type DeclaredBody, type InputCheck, readDeclaredInput, refuseAll } from './declared-input';
import { checkIdempotencyKey } from './idempotency-key';
import { parseBody, parseForm } from './parsers';
import { isUpload, prepareUpload } from './uploads';

/** Finds violations in a form that depend on the stored record. */
export interface FormChecker {
  findViolations(request: Request): Promise<Violation[]>;
}

/** Sets a route's checker; it runs only when the form already has violations. */
export const FormCheckedBy = Reflector.createDecorator<Type<FormChecker>>();

/**
 * Checks query, path and body against the handler's DTOs and replaces them with DTO instances. In one step, so that a response
 * lists every violation: Nest's pipes run per parameter and stop at the first. A guard, so that no body is parsed before
 * authentication; an interceptor would slow down every route (bench/HISTORY.md).
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

  /** Routes are registered by now: global pipes added later don't apply to them. */
  onApplicationBootstrap(): void {
    this.globalPipes = [...this.application.getGlobalPipes()];
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { query, path, body } = this.declared(context);
    const request: Request = context.switchToHttp().getRequest();
    const queryViolations = checkQuery(query, request);
    const hasMore = path || body || 'idempotency-key' in request.headers || isUpload(request);
    if (hasMore || !Array.isArray(queryViolations)) return this.checkAll(context, queryViolations);
    refuseIfAny(queryViolations);
    return true;
  }

  private async checkAll(context: ExecutionContext, queryViolations: Violation[] | Promise<Violation[]>): Promise<boolean> {
    const { path, body, refusesKey } = this.declared(context);
    const request: Request = context.switchToHttp().getRequest();
    const pathViolations = path ? await checkPath(path, request) : [];
    const bodyViolations = await this.checkBody(context, body);
    const others = [...(await queryViolations), ...pathViolations, ...checkIdempotencyKey(request, refusesKey)];
    if (others.length + bodyViolations.length > 0) bodyViolations.push(...(await this.findMore(context, bodyViolations)));
    refuseIfAny([...others, ...bodyViolations]);
    return true;
  }

  private async checkBody(context: ExecutionContext, body?: DeclaredBody): Promise<Violation[]> {
    const request: Request = context.switchToHttp().getRequest();
    const response: Response = context.switchToHttp().getResponse();
    if (prepareUpload(context.getHandler(), request)) return [];
    if (!body || (body.isRaw && !hasParsableBody(request))) {
      if (isUpload(request)) throw RequestError.malformed('A body may not hold a file.');
      return [];
    }
    const raw = body.form ? await parseForm(request, response, body.form) : await parseBody(request, response);
    if (body.check && Array.isArray(raw)) throw RequestError.malformed('A JSON body must be an object.');
    const { value, violations } = (await body.check?.(raw as RawInput, 'form')) ?? { value: raw, violations: [] };
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

function checkQuery(check: InputCheck | undefined, request: Request): Violation[] | Promise<Violation[]> {
  if (!check) return [];
  const raw = request.url.includes('?') ? (request.query as RawInput) : {};
  const apply = ({ value, violations }: CheckedInput<object>) => {
    if (check !== refuseAll) Object.defineProperty(request, 'query', { value });
    return violations;
  };
  const checked = check(raw, 'query');
  return checked instanceof Promise ? checked.then(apply) : apply(checked);
}

async function checkPath(check: InputCheck, request: Request): Promise<Violation[]> {
  const { value, violations } = await check(request.params, 'path');
  request.params = value as Request['params'];
  return violations;
}

function hasParsableBody({ method, headers }: Request): boolean {
  return ['POST', 'PUT', 'PATCH'].includes(method) && /^application\/(json|x-www-form-urlencoded)\b/i.test(headers['content-type'] ?? '');
}
