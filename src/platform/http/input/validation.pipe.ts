import { type ArgumentMetadata, Injectable, type PipeTransform, type Type, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { InvalidInput } from '../../common/field-types';
import { printableName, RequestError, type ViolationSource, type Violation } from '../../common/errors';
import { acceptsEmpty, namesOf } from './dto-names';
import type { ParseOptions } from './rules';

const MAX_VIOLATIONS = 100;

/** Nest's ValidationPipe for `@Query()`, `@Body()` and `@Param()`, with the API's errors. Skips values bound by name, such as `@Param('id')`, which have their own pipes. */
@Injectable()
export class InputValidationPipe implements PipeTransform {
  private readonly pipes: Partial<Record<ArgumentMetadata['type'], PipeTransform>> = {
    query: validationOf('query'),
    body: validationOf('form', { isForm: true }),
    param: validationOf('path'),
  };

  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    const { type, data, metatype } = metadata;
    const pipe = data === undefined && metatype ? this.pipes[type] : undefined;
    if (!pipe || !metatype || metatype === Object || metatype === Array || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) throw RequestError.malformed('A JSON body must be an object.');
    // Most lists are requested without a query; on an empty one, Nest's pipe would spend a fifth of the request's time (bench/HISTORY.md).
    if (Object.keys(value).length === 0 && acceptsEmpty(metatype)) return new metatype();
    const dropped = droppedNames(value, metatype.prototype as object);
    const unknown = dropped.length > 0 ? dropped.filter((name) => !isDeclared(metatype, name)) : dropped;
    return unknown.length > 0 ? this.refuse(unknown, value, metadata) : pipe.transform(value, metadata);
  }

  /** class-transformer drops names that the DTO inherits, such as those of getters and `toString`; this API refuses unknown names. */
  private async refuse(unknown: string[], value: object, metadata: ArgumentMetadata): Promise<never> {
    const entries = Object.entries(value).filter(([name]) => !unknown.includes(name));
    const rest = Object.setPrototypeOf(Object.fromEntries(entries), Object.getPrototypeOf(value) as object | null) as object;
    const where = metadata.type === 'body' ? 'form' : 'query';
    const others = await Promise.resolve(this.pipes[metadata.type]?.transform(rest, metadata)).then(
      () => [],
      (error: RequestError) => error.violations,
    );
    throw new RequestError(sortAndLimit([...others, ...unknown.map((name) => unknownFieldViolation(name, where, metadata.metatype))]));
  }
}

/** The names that class-transformer drops, and `prototype`, which Nest's pipe deletes. Nested names are given as paths, such as `a.b`. */
function droppedNames(value: object, prototype: object = Object.prototype, path = ''): string[] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    if (name in prototype || name === 'prototype') return [path + name];
    return typeof inner === 'object' && inner !== null ? droppedNames(inner, undefined, `${path}${name}.`) : [];
  });
}

function validationOf(where: ViolationSource['in'], transformOptions?: ParseOptions): ValidationPipe {
  return new ValidationPipe({
    whitelist: true,
    forbidNonWhitelisted: true,
    transform: true,
    transformOptions,
    validationError: { target: true, value: true },
    exceptionFactory: (errors) => new RequestError(sortAndLimit(violationsOf(errors, where))),
  });
}

/** Unknown names first, then missing ones. Limited, because a small body can cause thousands of errors. */
function sortAndLimit(violations: Violation[]): Violation[] {
  const withCode = (...codes: string[]) => violations.filter(({ code }) => codes.includes(code));
  const ordered = [...withCode('unknown_parameter'), ...withCode('missing_parameter'), ...withCode('invalid_parameter')];
  const rest = ordered.length - MAX_VIOLATIONS;
  if (rest > 0) ordered.splice(MAX_VIOLATIONS, rest, { code: 'invalid_parameter', detail: `There are ${rest} more errors.` });
  return ordered;
}

function violationsOf(errors: ValidationError[], where: ViolationSource['in'], parent = ''): Violation[] {
  return errors.flatMap(({ property, value, target, constraints = {}, children = [] }: ValidationError): Violation[] => {
    const dto = target?.constructor as Type;
    const source = { in: where, name: parent + property };
    const isUnknown = 'whitelistValidation' in constraints;
    if (isUnknown && parent === '') return [unknownFieldViolation(property, where, dto)];
    if (value instanceof InvalidInput) {
      const isMissing = value.isEmpty && !namesOf(dto).optional.has(property);
      const detail = isMissing ? `${property} is required.` : Object.values(constraints)[0];
      return [{ code: isMissing ? 'missing_parameter' : 'invalid_parameter', detail: parent + detail, source }];
    }
    const code = isUnknown ? 'unknown_parameter' : value === undefined ? 'missing_parameter' : 'invalid_parameter';
    const own = Object.values(constraints).map((detail): Violation => ({ code, detail: parent + detail, source }));
    return [...own, ...violationsOf(children, where, `${parent}${property}.`)];
  });
}

/** `dto`: undefined for a request that takes no parameters. */
export function unknownFieldViolation(name: string, where: ViolationSource['in'], dto?: Type): Violation {
  const { required, optional } = dto ? namesOf(dto) : { required: [], optional: [] };
  const accepted = [...required, ...optional];
  const detail = `${printableName(name)} is not known here; ${accepted.length ? `accepted: ${accepted.join(', ')}` : 'this request takes no parameters'}.`;
  return { code: 'unknown_parameter', detail, source: { in: where, name } };
}

function isDeclared(dto: Type, name: string): boolean {
  const { required, optional } = namesOf(dto);
  return required.has(name) || optional.has(name);
}
