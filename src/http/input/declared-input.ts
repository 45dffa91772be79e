import { type Type, ValidationPipe } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { RawInput } from './check-input';
import { hasFieldsOnly, isValidated } from './declared-names';
import { type Handler, type InputParameter, inputParameters, type Pipe, usedPipes } from '../server/nest-metadata';

/** How a query, a path or a body is checked. */
export interface InputCheck {
  dto: Type<object>;
  /** Parameters of the same source that the handler reads by name; they are not the DTO's. */
  named: readonly string[];
  /**
   * - `fields`: texts, against `@Field`s;
   * - `decorators`: any JSON, against class-validator's decorators;
   * - `names`: a pipe of the route checks the values, so only unknown names are refused here;
   * - `nothing`: the route's pipe also handles unknown names.
   */
  by: 'fields' | 'decorators' | 'names' | 'nothing';
}

/** What a route's handler takes from a request. */
export interface DeclaredInput {
  /** Undefined: the handler takes any query. */
  query?: InputCheck | QueryChoice;
  path?: InputCheck;
  /** Undefined: the handler takes no body. `any`: whatever can be parsed; `request`: the same, for a handler that reads the request itself. */
  body?: InputCheck | 'any' | 'request';
}

/** The class that a query is checked against, when it depends on the query. */
export type QueryChoice = (raw: RawInput) => Type<object>;

/** Names the choice, for a handler that declares no query itself. */
export const QueryCheckedBy = Reflector.createDecorator<QueryChoice>();

/** Of a route that takes no query. */
export class NoParameters {}

/** Reads the `@Query()`, `@Param()` and `@Body()` parameters of a route's handler. `globalPipes` run on every route. */
export function readDeclaredInput(controller: Type, handler: Handler, globalPipes: readonly Pipe[]): DeclaredInput {
  const parameters = inputParameters(controller, handler);
  const pipes = [...globalPipes, ...usedPipes(controller, handler)];
  const from = (source: InputParameter['source']) => parameters.filter((parameter) => parameter.source === source);
  const checkOf = (source: InputParameter['source']) => checkOfOne(from(source), pipes);
  const readsRequest = from('request').length > 0;
  const choice = Reflect.getMetadata(QueryCheckedBy.KEY, handler) as QueryChoice | undefined;
  const takesNoQuery = from('query').length === 0 && !readsRequest;
  return {
    query: choice ?? checkOf('query') ?? (takesNoQuery ? { dto: NoParameters, named: [], by: 'fields' } : undefined),
    path: checkOf('path'),
    body: checkOf('body') ?? (from('body').length > 0 ? 'any' : readsRequest ? 'request' : undefined),
  };
}

/** The check of the parameter that takes all of its source as a DTO. */
function checkOfOne(parameters: InputParameter[], pipes: Pipe[]): InputCheck | undefined {
  const whole = parameters.find(({ name, type }) => name === undefined && type !== undefined && isValidated(type));
  if (!whole) return undefined;
  const dto = whole.type!;
  const named = parameters.flatMap(({ name }) => name ?? []);
  if (hasFieldsOnly(dto)) return { dto, named, by: 'fields' };
  const validation = [...pipes, ...whole.pipes].map(validationOptions).find((options) => options !== undefined);
  if (!validation) return { dto, named, by: 'decorators' };
  return { dto, named, by: validation.whitelist && !validation.forbidNonWhitelisted ? 'nothing' : 'names' };
}

interface ValidationOptions {
  whitelist?: boolean;
  forbidNonWhitelisted?: boolean;
}

/** The options of a ValidationPipe; undefined for any other pipe. */
function validationOptions(pipe: Pipe): ValidationOptions | undefined {
  if (pipe instanceof ValidationPipe) return (pipe as unknown as { validatorOptions: ValidationOptions }).validatorOptions;
  const isClass = typeof pipe === 'function' && (pipe === ValidationPipe || pipe.prototype instanceof ValidationPipe);
  return isClass ? {} : undefined;
}
