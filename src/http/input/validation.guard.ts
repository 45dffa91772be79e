import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type OnApplicationBootstrap,
  SetMetadata,
  type Type,
  ValidationPipe,
} from '@nestjs/common';
import { ApplicationConfig, ModuleRef, Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { ApiExtension } from '@nestjs/swagger';
import { RequestError, type Source, type Violation } from '../errors/request-error';
import { type Handler, type InputParameter, inputParameters, perRoute, type Pipe, usedPipes } from '../server/nest-metadata';
import {
  checkDecorators,
  type CheckedInput,
  checkFields,
  findUnknown,
  isValidated,
  namesOf,
  NoFields,
  type RawInput,
  refuseIfAny,
} from './fields';
import { checkIdempotencyKey, refusesIdempotencyKey } from './idempotency-key';
import { FORM, type FormFormat, formFormat, parseBody, parseForm } from './parsers';
import { isUpload, prepareUpload } from './request-body';

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

/** Synchronous for `@Field`s, which all API routes use: awaiting would delay every read. */
export type InputCheck = (raw: RawInput, where: Source['in']) => CheckedInput<object> | Promise<CheckedInput<object>>;

/** The input that a handler declares. */
export interface DeclaredInput {
  /** Undefined: any query. */
  query?: InputCheck;
  path?: InputCheck;
  /** Undefined: no body. */
  body?: DeclaredBody;
  refusesKey: boolean;
}

export interface DeclaredBody {
  /** Undefined: any body that can be parsed. */
  check?: InputCheck;
  /** Flat, with a DTO of `@Field`s. */
  form?: FormFormat;
  /** The handler injects the request itself, so it may stream a body of a type that isn't parsed. */
  isRaw?: boolean;
}

/** Picks the DTO of a query by the query's content. */
export type QueryChoice = (raw: RawInput) => Type<object>;

/** Chooses the query DTO of a handler that has no `@Query()`. */
export const QueryCheckedBy = Reflector.createDecorator<QueryChoice>();

/** `globalPipes` run on every route. */
function readDeclaredInput(controller: Type, handler: Handler, globalPipes: readonly Pipe[]): DeclaredInput {
  const parameters = inputParameters(controller, handler);
  const pipes = [...globalPipes, ...usedPipes(controller, handler)];
  const from = (source: InputParameter['source']) => parameters.filter((parameter) => parameter.source === source);
  const readsRequest = from('request').length > 0;
  const choice = Reflect.getMetadata(QueryCheckedBy.KEY, handler) as QueryChoice | undefined;
  const acceptsNoQuery = from('query').length === 0 && !readsRequest;
  return {
    query: choice
      ? (raw, where) => checkFields(choice(raw), raw, where)
      : (readWhole(from('query'), pipes)?.check ?? (acceptsNoQuery ? refuseAll : undefined)),
    path: readWhole(from('path'), pipes)?.check,
    body: readBody(from('body'), pipes, valueLimitOf(handler)) ?? (readsRequest ? { isRaw: true } : undefined),
    refusesKey: refusesIdempotencyKey(controller, handler),
  };
}

/** For routes that accept no query parameters. */
export const refuseAll: InputCheck = (raw, where) => ({ value: raw, violations: checkFields(NoFields, raw, where).violations });

function readBody(parameters: InputParameter[], pipes: Pipe[], valueBytes?: number): DeclaredBody | undefined {
  const { check, isForm } = readWhole(parameters, pipes) ?? {};
  if (!check) return parameters.length > 0 ? {} : undefined;
  const form = valueBytes === undefined ? FORM : formFormat(valueBytes);
  return isForm ? { check, form } : { check };
}

/** The check of the parameter that binds its whole source to a DTO; parameters bound by name bypass it. */
function readWhole(parameters: InputParameter[], pipes: Pipe[]): { check: InputCheck; isForm: boolean } | undefined {
  const whole = parameters.find(({ name, type }) => name === undefined && type !== undefined && isValidated(type));
  if (!whole?.type) return undefined;
  const check = checkAgainst(whole.type, [...pipes, ...whole.pipes]);
  const isForm = namesOf(whole.type).hasFieldsOnly;
  const named = new Set(parameters.flatMap(({ name }) => name ?? []));
  if (named.size === 0) return { check, isForm };
  const withNamed: InputCheck = async (raw, where) => {
    const isNamed = ([name]: [string, unknown]) => named.has(name);
    const { value, violations } = await check(Object.fromEntries(Object.entries(raw).filter((entry) => !isNamed(entry))), where);
    return { value: Object.assign(value, Object.fromEntries(Object.entries(raw).filter(isNamed))), violations };
  };
  return { check: withNamed, isForm };
}

/** A ValidationPipe on the route checks the values itself, and handles unknown names when it whitelists. */
function checkAgainst(dto: Type<object>, pipes: Pipe[]): InputCheck {
  if (namesOf(dto).hasFieldsOnly) return (raw, where) => checkFields(dto, raw, where);
  const validation = pipes.map(validationOptions).find((options) => options !== undefined);
  if (!validation) return (raw, where) => checkDecorators(dto, raw, where);
  const isLenient = validation.whitelist && !validation.forbidNonWhitelisted;
  return (raw, where) => ({ value: raw, violations: isLenient ? [] : findUnknown(dto, raw, where) });
}

/** The options of a ValidationPipe; undefined for any other pipe. */
function validationOptions(pipe: Pipe): { whitelist?: boolean; forbidNonWhitelisted?: boolean } | undefined {
  if (pipe instanceof ValidationPipe) return pipe['validatorOptions'];
  const isClass = typeof pipe === 'function' && (pipe === ValidationPipe || pipe.prototype instanceof ValidationPipe);
  return isClass ? {} : undefined;
}

const VALUE_BYTES = 'frontdesk:value-bytes';
/** Becomes a sentence in the operation's description. */
export const VALUE_LIMIT_MARK = 'x-value-limit';

/** Raises the limit of a form value on this route; the limit of the body stays. */
export function ValueLimit(bytes: number): MethodDecorator {
  return applyDecorators(SetMetadata(VALUE_BYTES, bytes), ApiExtension(VALUE_LIMIT_MARK, bytes));
}

/** Undefined: the limit of all forms. */
function valueLimitOf(handler: Handler): number | undefined {
  return Reflect.getMetadata(VALUE_BYTES, handler) as number | undefined;
}
