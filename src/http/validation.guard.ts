import { type CanActivate, type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { Request, Response } from 'express';
import { checkInput, type RawInput } from './check-input';
import { parseForm } from './form-parser';
import { checkIdempotencyKey } from './idempotency-key';
import { RequestError, type Violation } from './request-error';

class NoParameters {}

/** A DTO class that stands for several: which one a request is checked against, its own parameters decide. */
interface Choice {
  choose(raw: RawInput): Type;
}

/** What the `@Query()` and `@Body()` parameters of a route's handler are declared as. */
interface DeclaredInput {
  query: Type | Choice;
  form?: Type;
}

/** Finds what is wrong with a form that only the stored record tells. */
export interface FormChecker {
  findViolations(request: Request): Promise<Violation[]>;
}

/** Names who is asked, when a route's form is refused, for what its DTO can't know: so that every violation is in one answer. */
export const AlsoCheckedBy = Reflector.createDecorator<Type<FormChecker>>();

/**
 * Checks the query and the form of a request against the DTOs that its handler declares, and hands them over as these.
 * One step for both, where Nest's pipes run per parameter and stop at the first that fails: every violation of a request
 * is in one answer. A guard by its place: behind the others, so that nobody without a key has a body parsed, and before
 * the interceptors, of which a route without any is answered in less time (bench/RESULTS.md).
 */
@Injectable()
export class ValidationGuard implements CanActivate {
  private readonly declared = new Map<unknown, DeclaredInput>();

  constructor(
    private readonly reflector: Reflector,
    private readonly modules: ModuleRef,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request: Request = http.getRequest();
    const { query: declared, form } = this.declaredInput(context);
    const raw = request.url.includes('?') ? request.query : {};
    const query = checkInput('choose' in declared ? declared.choose(raw) : declared, raw, 'query');
    if (declared !== NoParameters) Object.defineProperty(request, 'query', { value: query.value });
    if (form) return this.checkForm(form, context, query.violations);
    refuseIfAny(query.violations);
    return true;
  }

  private async checkForm(form: Type<object>, context: ExecutionContext, ofQuery: Violation[]): Promise<boolean> {
    const http = context.switchToHttp();
    const request: Request = http.getRequest();
    const { value, violations } = checkInput(form, await parseForm(request, http.getResponse<Response>()), 'form');
    request.body = value;
    const others = [...ofQuery, ...checkIdempotencyKey(request)];
    if (others.length + violations.length > 0) violations.push(...(await this.findMore(context, violations)));
    refuseIfAny([...others, ...violations]);
    return true;
  }

  /** What else is wrong with a form that is refused anyway, but for the fields that are named already. */
  private async findMore(context: ExecutionContext, known: Violation[]): Promise<Violation[]> {
    const checker = this.reflector.get(AlsoCheckedBy, context.getHandler());
    if (!checker) return [];
    const named = new Set(known.map(({ source }) => source?.name));
    const found = await this.modules.get(checker, { strict: false }).findViolations(context.switchToHttp().getRequest());
    return found.filter(({ source }) => !named.has(source?.name));
  }

  private declaredInput(context: ExecutionContext): DeclaredInput {
    const handler = context.getHandler();
    let input = this.declared.get(handler);
    if (!input) {
      input = declaredInput(context.getClass(), handler.name);
      this.declared.set(handler, input);
    }
    return input;
  }
}

function refuseIfAny(violations: Violation[]): void {
  if (violations.length > 0) throw new RequestError(violations);
}

/** Reads what Nest keeps of a handler's parameters: keys of the form `<RouteParamtypes>:<index>`. */
function declaredInput(controller: Type, handlerName: string): DeclaredInput {
  const parameters: Record<string, { index: number }> = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handlerName) ?? {};
  const types: Type[] = Reflect.getMetadata('design:paramtypes', controller.prototype, handlerName) ?? [];
  const declaredAs = (kind: RouteParamtypes) => {
    const key = Object.keys(parameters).find((name) => name.startsWith(`${kind}:`));
    return key === undefined ? undefined : types[parameters[key].index];
  };
  return { query: declaredAs(RouteParamtypes.QUERY) ?? NoParameters, form: declaredAs(RouteParamtypes.BODY) };
}
