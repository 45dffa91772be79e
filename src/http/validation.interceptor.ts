import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { Request, Response } from 'express';
import { checkInput, type RawInput } from './check-input';
import { parseForm } from './form-parser';
import { RequestError } from './request-error';

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
 * is in one answer. It runs after the guards, so that nobody without a key has a body parsed.
 */
@Injectable()
export class ValidationInterceptor implements NestInterceptor {
  private readonly declared = new Map<unknown, DeclaredInput>();

  async intercept(context: ExecutionContext, next: CallHandler) {
    const http = context.switchToHttp();
    const request: Request = http.getRequest();
    const { query, form } = this.declaredInput(context);

    const checked = [checkInput('choose' in query ? query.choose(request.query) : query, request.query, 'query')];
    Object.defineProperty(request, 'query', { value: checked[0].value });
    if (form) {
      checked.push(checkInput(form, await parseForm(request, http.getResponse<Response>()), 'form'));
      request.body = checked[1].value;
    }
    const violations = checked.flatMap((input) => input.violations);
    if (violations.length > 0) throw new RequestError(violations);
    return next.handle();
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
