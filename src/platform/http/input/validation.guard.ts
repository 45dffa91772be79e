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
import { RequestError, type Source, type Violation } from '../request-error';
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
import { FORM_LIMITS, mediaType, parseBody, parseForm } from './request-body';
import { limitUpload, uploadLimitOf } from './uploads';

/** Finds violations that depend on stored data, so that the response to an invalid form lists these, too. */
export interface FormChecker {
  findViolations(request: Request): Promise<Violation[]>;
}

/** Sets a route's checker. It runs only on a request that already has violations: the service itself checks a valid form. */
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
    private readonly modules: ModuleRef,
    private readonly application: ApplicationConfig,
  ) {}

  /** Routes are registered by now: global pipes added later don't apply to them. */
  onApplicationBootstrap(): void {
    this.globalPipes = [...this.application.getGlobalPipes()];
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const declared = this.declared(context);
    const { query, path, refusesKey, readsOwnBody } = declared;
    const request: Request = context.switchToHttp().getRequest();
    const violations = query ? await checkQuery(query, request) : [];
    if (path) violations.push(...(await checkPath(path, request)));
    const isChecked = !readsOwnBody && (declared.body || mayHaveBody(request));
    const bodyViolations = isChecked ? await checkBody(declared, context) : [];
    if ('idempotency-key' in request.headers) violations.push(...checkIdempotencyKey(request, refusesKey));
    violations.push(...bodyViolations);
    if (violations.length > 0 && declared.checker) {
      const named = new Set(bodyViolations.map(({ source }) => source?.name));
      const found = await this.modules.get(declared.checker, { strict: false }).findViolations(request);
      violations.push(...found.filter(({ source }) => !named.has(source?.name)));
    }
    refuseIfAny(violations);
    return true;
  }
}

async function checkQuery(check: InputCheck, request: Request): Promise<Violation[]> {
  const raw = request.url.includes('?') ? (request.query as RawInput) : {};
  const { value, violations } = await check(raw, 'query');
  if (value !== raw) Object.defineProperty(request, 'query', { value });
  return violations;
}

async function checkPath(check: InputCheck, request: Request): Promise<Violation[]> {
  const { value, violations } = await check(request.params, 'path');
  request.params = value as Request['params'];
  return violations;
}

async function checkBody({ body, uploadBytes }: DeclaredInput, context: ExecutionContext): Promise<Violation[]> {
  const request: Request = context.switchToHttp().getRequest();
  const isMultipart = mayHaveBody(request) && mediaType(request) === 'multipart/form-data';
  if (isMultipart && uploadBytes !== undefined) {
    limitUpload(request, uploadBytes);
    return []; // the route's interceptor reads the body, and UploadedBodyPipe checks it
  }
  const isParsable = mayHaveBody(request) && /^application\/(json|x-www-form-urlencoded)\b/i.test(request.headers['content-type'] ?? '');
  if (!body || (body.isRaw && !isParsable)) {
    if (isMultipart) throw RequestError.malformed('A body may not hold a file.');
    return [];
  }
  const response: Response = context.switchToHttp().getResponse();
  const { check, valueBytes } = body;
  const raw = valueBytes === undefined ? await parseBody(request, response) : await parseForm(request, response, valueBytes);
  if (check && Array.isArray(raw)) throw RequestError.malformed('A JSON body must be an object.');
  const { value, violations } = (await check?.(raw as RawInput, 'form')) ?? { value: raw, violations: [] };
  request.body = value;
  return violations;
}

function mayHaveBody({ method }: Request): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

type InputCheck = (raw: RawInput, where: Source['in']) => CheckedInput<object> | Promise<CheckedInput<object>>;

/** The input that a handler declares. */
interface DeclaredInput {
  /** Undefined if the route accepts any query. */
  query?: InputCheck;
  path?: InputCheck;
  /** Undefined: no body. */
  body?: DeclaredBody;
  checker?: Type<FormChecker>;
  /** Undefined: files are refused. */
  uploadBytes?: number;
  readsOwnBody: boolean;
  refusesKey: boolean;
}

interface DeclaredBody {
  /** Undefined if the route accepts any body that can be parsed. */
  check?: InputCheck;
  /** Limit of a value in a flat form, whose DTO has `@Field`s only. */
  valueBytes?: number;
  /** The handler injects the request itself, so it may stream a body of a type that isn't parsed. */
  isRaw?: boolean;
}

/** Picks the DTO of a query by the query's content. */
type QueryChoice = (raw: RawInput) => Type<object>;

/** Chooses the query DTO of a handler that has no `@Query()`. */
export const QueryCheckedBy = Reflector.createDecorator<QueryChoice>();

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
    body: readDeclaredBody(from('body'), pipes, handler) ?? (readsRequest ? { isRaw: true } : undefined),
    checker: Reflect.getMetadata(FormCheckedBy.KEY, handler) as Type<FormChecker> | undefined,
    uploadBytes: uploadLimitOf(handler),
    readsOwnBody: Reflect.hasMetadata(OWN_BODY, handler),
    refusesKey: refusesIdempotencyKey(controller, handler),
  };
}

/** For routes that accept no query parameters. */
const refuseAll: InputCheck = (raw, where) => ({ value: raw, violations: checkFields(NoFields, raw, where).violations });

function readDeclaredBody(parameters: InputParameter[], pipes: Pipe[], handler: Handler): DeclaredBody | undefined {
  const { check, isForm } = readWhole(parameters, pipes) ?? {};
  if (!check) return parameters.length > 0 ? {} : undefined;
  return isForm ? { check, valueBytes: valueLimitOf(handler) } : { check };
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
    const fields = (areNamed: boolean) => Object.fromEntries(Object.entries(raw).filter(([name]) => named.has(name) === areNamed));
    const { value, violations } = await check(fields(false), where);
    return { value: Object.assign(value, fields(true)), violations };
  };
  return { check: withNamed, isForm };
}

/** Chooses the check for a DTO. A ValidationPipe, the route's or a global one, checks the values, and strips unknown names if told to. */
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

function valueLimitOf(handler: Handler): number {
  return (Reflect.getMetadata(VALUE_BYTES, handler) as number | undefined) ?? FORM_LIMITS.valueBytes;
}

const OWN_BODY = 'frontdesk:own-body';

/** Leaves the body to a handler that injects the request. */
export function ReadsOwnBody(): MethodDecorator {
  return SetMetadata(OWN_BODY, true);
}
