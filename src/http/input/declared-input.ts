import { type Type, ValidationPipe } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Handler, type InputParameter, inputParameters, type Pipe, usedPipes } from '../server/nest-metadata';
import type { Source } from '../errors/request-error';
import { checkDecorators, type CheckedInput, checkFields, findUnknown, isValidated, namesOf, type RawInput } from './check-input';
import { NoFields } from './field';
import { refusesIdempotencyKey } from './idempotency-key';
import { FORM, type FormFormat, formFormat } from './parsers';
import { valueLimitOf } from './value-limit';

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
export function readDeclaredInput(controller: Type, handler: Handler, globalPipes: readonly Pipe[]): DeclaredInput {
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
