import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate, validateSync, type ValidationError } from 'class-validator';
import { declaredNames, findUnknown, unknownName } from './declared-names';
import type { Source, Violation } from '../errors/request-error';

const MAX_VIOLATIONS = 100;

export type RawInput = Readonly<Record<string, unknown>>;

/** A DTO made of raw input, and all that is wrong with the input. */
export interface CheckedInput<T> {
  value: T;
  violations: Violation[];
}

/** Checks parameters that are texts against a DTO whose properties are all declared by `@Field` or `@OptionalField`. */
export function checkFields<T extends object>(dto: Type<T>, raw: RawInput, where: Source['in']): CheckedInput<T> {
  const { required, optional } = declaredNames(dto);
  if (required.size === 0 && Object.keys(raw).length === 0) return { value: new dto(), violations: [] }; // most requests: nothing to read
  const violation = (code: Violation['code'], name: string, detail: string): Violation => ({ code, detail, source: { in: where, name } });
  const violations: Violation[] = [];
  const texts: Record<string, string> = {};

  for (const name of Object.keys(raw)) {
    const known = required.has(name) || optional.has(name);
    if (!known) violations.push(unknownName(dto, name, where));
    else if (Array.isArray(raw[name])) violations.push(violation('invalid_parameter', name, `${name} must be given once.`));
    else if (!isCleanText(raw[name])) violations.push(violation('invalid_parameter', name, `${name} must be ${expected(raw[name])}.`));
    else texts[name] = raw[name];
  }
  for (const name of required) {
    if (Object.hasOwn(raw, name) && raw[name] !== '') continue;
    violations.push(violation('missing_parameter', name, `${name} is required.`));
    delete texts[name];
  }

  const value = plainToInstance(dto, texts);
  for (const { property, constraints } of validateSync(value, { stopAtFirstError: true })) {
    if (texts[property] === undefined) continue; // reported above, or absent
    violations.push(violation('invalid_parameter', property, Object.values(constraints ?? {})[0]));
  }
  return { value, violations };
}

/** Checks input of any JSON type against a DTO as its class-validator decorators say, nested objects too. */
export async function checkDecorators<T extends object>(dto: Type<T>, raw: RawInput, where: Source['in']): Promise<CheckedInput<T>> {
  const unknown = findUnknown(dto, raw, where);
  const value = plainToInstance(dto, raw);
  const errors = await validate(value, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
  const isNew = ({ property }: ValidationError) => !unknown.some(({ source }) => source?.name === property);
  return { value, violations: capped([...unknown, ...violationsOf(errors.filter(isNew), where)]) };
}

/** Thousands of wrong values fit into a body; each would take a hundred times its size in the answer. */
function capped(violations: Violation[]): Violation[] {
  if (violations.length <= MAX_VIOLATIONS) return violations;
  const rest = violations.length - MAX_VIOLATIONS;
  return [...violations.slice(0, MAX_VIOLATIONS), { code: 'invalid_parameter', detail: `There are ${rest} more errors.` }];
}

/** The replacement character is what a decoder leaves where the bytes were not UTF-8. */
function isCleanText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\uFFFD') && value.isWellFormed();
}

/** Only JSON can carry values other than text. */
function expected(value: unknown): string {
  if (typeof value === 'string') return 'text in valid UTF-8';
  if (typeof value === 'number') return 'text, not a number too large to keep its digits';
  return `text, not ${value === null ? 'null' : 'an object'}`;
}

function violationsOf(errors: ValidationError[], where: Source['in'], parent = ''): Violation[] {
  return errors.flatMap(({ property, value, constraints = {}, children = [] }) => {
    const code =
      'whitelistValidation' in constraints ? 'unknown_parameter' : value === undefined ? 'missing_parameter' : 'invalid_parameter';
    const source = { in: where, name: parent + property };
    const own = Object.values(constraints).map((detail) => ({ code, detail: parent + detail, source }) satisfies Violation);
    return [...own, ...violationsOf(children, where, `${parent}${property}.`)];
  });
}
