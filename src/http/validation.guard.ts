import { type CanActivate, type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { Request, Response } from 'express';
import { checkInput, type RawInput } from './check-input';
import { parseForm } from './form-parser';
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

/**
 * Checks the query and the form of a request against the DTOs that its handler declares, and hands them over as these.
 * One step for both, where Nest's pipes run per parameter and stop at the first that fails: every violation of a request
 * is in one answer. A guard by its place: behind the others, so that nobody without a key has a body parsed, and before
 * the interceptors, of which a route without any is answered in less time (bench/RESULTS.md).
 */
@Injectable()
export class ValidationGuard implements CanActivate {
  private readonly declared = new Map<unknown, DeclaredInput>();

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request: Request = http.getRequest();
    const { query: declared, form } = this.declaredInput(context);
    const query = checkInput('choose' in declared ? declared.choose(request.query) : declared, request.query, 'query');
    Object.defineProperty(request, 'query', { value: query.value });
    if (form) return checkForm(form, request, http.getResponse(), query.violations);
    refuseIfAny(query.violations);
    return true;
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

async function checkForm(form: Type<object>, request: Request, response: Response, before: Violation[]): Promise<boolean> {
  const { value, violations } = checkInput(form, await parseForm(request, response), 'form');
  request.body = value;
  refuseIfAny([...before, ...violations]);
  return true;
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
