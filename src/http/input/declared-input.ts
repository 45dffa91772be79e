import { type Type, ValidationPipe } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Handler, type InputParameter, inputParameters, type Pipe, usedPipes } from '../server/nest-metadata';
import { isValidated, namesOf, type RawInput } from './check-input';

/** How a query, path or body is checked. */
export interface InputCheck {
  dto: Type<object>;
  /** Parameters of the same source that the handler reads by name, outside the DTO. */
  named: readonly string[];
  /**
   * - `fields`: text, against `@Field`s;
   * - `decorators`: any JSON, against class-validator's decorators;
   * - `names`: a pipe of the route checks the values; only unknown names are refused here;
   * - `nothing`: the route's pipe handles unknown names, too.
   */
  by: 'fields' | 'decorators' | 'names' | 'nothing';
}

/** What a handler takes from a request. */
export interface DeclaredInput {
  /** Undefined: any query. */
  query?: InputCheck | QueryChoice;
  path?: InputCheck;
  /** Undefined: no body. `any`: any body that can be parsed; `request`: the same, for a handler that takes the request itself. */
  body?: InputCheck | 'any' | 'request';
}

/** Picks the DTO of a query by the query's content. */
export type QueryChoice = (raw: RawInput) => Type<object>;

/** Sets a choice for a handler that has no `@Query()` itself. */
export const QueryCheckedBy = Reflector.createDecorator<QueryChoice>();

/** The DTO of a route that takes no query. */
export class NoParameters {}

/** `globalPipes` run on every route. */
export function readDeclaredInput(controller: Type, handler: Handler, globalPipes: readonly Pipe[]): DeclaredInput {
  const parameters = inputParameters(controller, handler);
  const pipes = [...globalPipes, ...usedPipes(controller, handler)];
  const from = (source: InputParameter['source']) => parameters.filter((parameter) => parameter.source === source);
  const readsRequest = from('request').length > 0;
  const choice = Reflect.getMetadata(QueryCheckedBy.KEY, handler) as QueryChoice | undefined;
  const takesNoQuery = from('query').length === 0 && !readsRequest;
  return {
    query: choice ?? checkOf(from('query'), pipes) ?? (takesNoQuery ? { dto: NoParameters, named: [], by: 'fields' } : undefined),
    path: checkOf(from('path'), pipes),
    body: checkOf(from('body'), pipes) ?? (from('body').length > 0 ? 'any' : readsRequest ? 'request' : undefined),
  };
}

/** The check of the parameter that takes its whole source as a DTO. */
function checkOf(parameters: InputParameter[], pipes: Pipe[]): InputCheck | undefined {
  const whole = parameters.find(({ name, type }) => name === undefined && type !== undefined && isValidated(type));
  if (!whole?.type) return undefined;
  const dto: Type<object> = whole.type;
  const named = parameters.flatMap(({ name }) => name ?? []);
  if (namesOf(dto).hasFieldsOnly) return { dto, named, by: 'fields' };
  const validation = [...pipes, ...whole.pipes].map(validationOptions).find((options) => options !== undefined);
  if (!validation) return { dto, named, by: 'decorators' };
  return { dto, named, by: validation.whitelist && !validation.forbidNonWhitelisted ? 'nothing' : 'names' };
}

/** The options of a ValidationPipe; undefined for any other pipe. */
function validationOptions(pipe: Pipe): { whitelist?: boolean; forbidNonWhitelisted?: boolean } | undefined {
  if (pipe instanceof ValidationPipe) return pipe['validatorOptions'];
  const isClass = typeof pipe === 'function' && (pipe === ValidationPipe || pipe.prototype instanceof ValidationPipe);
  return isClass ? {} : undefined;
}
