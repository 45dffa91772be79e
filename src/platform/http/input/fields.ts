import { applyDecorators, type CanActivate, type ExecutionContext, Injectable, Param, type PipeTransform, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { plainToInstance, Transform } from 'class-transformer';
import { getMetadataStorage, IsOptional, validate, ValidateBy, validateSync, type ValidationError } from 'class-validator';
import type { Request } from 'express';
import { type FieldType, parseText, Refused } from '../../common/field-types';
import { trimInvisible } from '../../common/invisible-characters';
import { type ErrorCode, RequestError, type Source, type Violation } from '../request-error';
import { inputParameters, perRoute } from '../server/nest-metadata';

const FIELD_TYPE = 'fieldType';

/** The DTO of a request without fields: `@Body() _: NoFields` refuses any. */
export class NoFields {}

interface FieldRules {
  /** Accepts JSON null, which clears the column. A form has no null: its empty value is an empty string. */
  nullable?: boolean;
}

/** A required property of a query or form; `fieldType` parses, validates and documents it. */
export function Field<T>(fieldType: FieldType<T>, description: string, rules: FieldRules = {}): PropertyDecorator {
  return applyDecorators(Parses(fieldType, rules), ApiProperty(schemaOf(fieldType, description, rules)));
}

export function OptionalField<T>(fieldType: FieldType<T>, description: string, fallback?: T, rules: FieldRules = {}): PropertyDecorator {
  return applyDecorators(
    IsOptional(),
    Parses(fieldType, rules),
    ApiProperty({ ...schemaOf(fieldType, description, rules), required: false, default: fallback } as ApiPropertyOptions),
  );
}

function Parses<T>(fieldType: FieldType<T>, { nullable = false }: FieldRules): PropertyDecorator {
  const parse = (value: unknown) => (nullable && value === null ? null : parseValue(fieldType, value));
  return applyDecorators(
    Transform(({ value, obj }: { value: unknown; obj: object }) => (isRaw(obj) ? parse(value) : value)),
    ValidateBy({
      name: FIELD_TYPE,
      constraints: [{ nullable } satisfies FieldRules],
      validator: {
        validate: (value) => !(value instanceof Refused) && value !== undefined,
        defaultMessage: (argument) =>
          `${argument?.property} ${argument?.value instanceof Refused ? argument.value.reason : `must be ${fieldType.expected}`}.`,
      },
    }),
  );
}

/** False for a checked DTO that a pipe transforms again: the DTO's values are already parsed. */
function isRaw(input: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(input);
  return prototype === null || prototype === Object.prototype;
}

function parseValue<T>(fieldType: FieldType<T>, value: unknown): T | Refused {
  if (Array.isArray(value) && !fieldType.takesIntegers) return new Refused('must be a single value, neither repeated nor an array');
  const text = Array.isArray(value) ? asList(value) : asText(value);
  return text === undefined ? new Refused(`must be ${fieldType.expected}`) : parseText(fieldType, text);
}

function asList(values: unknown[]): string | undefined {
  return values.every(Number.isSafeInteger) ? values.join(',') : undefined;
}

/**
 * A JSON value as the text that an HTML form would send; undefined for null, arrays, objects, and numbers beyond
 * MAX_SAFE_INTEGER, which may have lost digits when parsed.
 */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const isExact = typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return typeof value === 'boolean' || isExact ? String(value) : undefined;
}

/** Whether a class-validator rule comes from `@Field` or `@OptionalField`. */
function isField(rule: { name?: string }): boolean {
  return rule.name === FIELD_TYPE;
}

function schemaOf({ schema, expected }: FieldType<unknown>, description: string, { nullable }: FieldRules): ApiPropertyOptions {
  return {
    ...schema,
    ...(nullable && { nullable }),
    enum: schema.enum && [...schema.enum],
    examples: [...schema.examples],
    description: `${description} Must be ${expected}.`,
  };
}

const MAX_VIOLATIONS = 100;

export type RawInput = Readonly<Record<string, unknown>>;

export interface CheckedInput<T> {
  value: T;
  violations: Violation[];
}

interface DtoNames {
  required: Set<string>;
  optional: Set<string>;
  nullable: Set<string>;
  /** Whether `@Field` or `@OptionalField` declares all properties; both parse strings, whatever the content type. */
  hasFieldsOnly: boolean;
}

const namesByDto = new Map<Type, DtoNames>();

/** The properties that have class-validator rules; PartialType and OptionalField mark the optional ones. */
export function namesOf(dto: Type): DtoNames {
  let names = namesByDto.get(dto);
  if (!names) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    const namesIn = (some: typeof rules) => new Set(some.map((rule) => rule.propertyName));
    const optional = namesIn(rules.filter(({ type }) => type === 'conditionalValidation'));
    const required = namesIn(rules.filter(({ propertyName }) => !optional.has(propertyName)));
    const fields = rules.filter(isField);
    const nullable = namesIn(fields.filter(({ constraints }) => (constraints as FieldRules[])[0].nullable));
    names = { required, optional, nullable, hasFieldsOnly: namesIn(fields).size === required.size + optional.size };
    namesByDto.set(dto, names);
  }
  return names;
}

export function isValidated(type: Type): boolean {
  const { required, optional } = namesOf(type);
  return type === NoFields || required.size + optional.size > 0;
}

/** Parses and checks parameters against a DTO that has only `@Field`s: each must be a string, or null or an array where allowed. */
export function checkFields<T extends object>(dto: Type<T>, raw: RawInput, where: Source['in']): CheckedInput<T> {
  const { required, optional, nullable } = namesOf(dto);
  if (required.size === 0 && Object.keys(raw).length === 0) return { value: new dto(), violations: [] }; // most requests
  const violations: Violation[] = [];
  const report = (code: ErrorCode, name: string, detail: string) => violations.push({ code, detail, source: { in: where, name } });
  const values: Record<string, unknown> = {};

  for (const [name, value] of Object.entries(raw)) {
    if (!required.has(name) && !optional.has(name)) violations.push(unknownName(dto, name, where));
    else if (Array.isArray(value) || (value === null && nullable.has(name))) values[name] = value;
    else if (!isCleanText(value)) report('invalid_parameter', name, `${name} must be ${expected(value)}.`);
    else values[name] = value;
  }
  for (const name of required) {
    if (Object.hasOwn(raw, name) && raw[name] !== '') continue;
    report('missing_parameter', name, `${name} is required.`);
    delete values[name];
  }

  const value = plainToInstance(dto, values);
  for (const { property, constraints } of validateSync(value, { stopAtFirstError: true })) {
    // A property that isn't in `values` has been reported above.
    if (values[property] !== undefined) report('invalid_parameter', property, Object.values(constraints ?? {})[0]);
  }
  return { value, violations };
}

/** Checks JSON values of any type against class-validator's decorators, including nested objects. */
export async function checkDecorators<T extends object>(dto: Type<T>, raw: RawInput, where: Source['in']): Promise<CheckedInput<T>> {
  const unknown = findUnknown(dto, raw, where);
  const value = plainToInstance(dto, raw);
  const errors = await validate(value, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
  const isNew = ({ property }: ValidationError) => !unknown.some(({ source }) => source?.name === property);
  const violations = [...unknown, ...violationsOf(errors.filter(isNew), where)];
  const rest = violations.length - MAX_VIOLATIONS; // a body can cause thousands, each a hundred times longer in the response
  if (rest > 0) violations.splice(MAX_VIOLATIONS, rest, { code: 'invalid_parameter', detail: `There are ${rest} more errors.` });
  return { value, violations };
}

export function trimValues(fields: RawInput): RawInput {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? trimInvisible(value) : value]),
  );
}

export function findUnknown(dto: Type, raw: object, where: Source['in']): Violation[] {
  const { required, optional } = namesOf(dto);
  const unknown = Object.keys(raw).filter((name) => !required.has(name) && !optional.has(name));
  return unknown.map((name) => unknownName(dto, name, where));
}

export function refuseIfAny(violations: Violation[]): void {
  if (violations.length > 0) throw new RequestError(violations);
}

function unknownName(dto: Type, name: string, where: Source['in']): Violation {
  const { required, optional } = namesOf(dto);
  const accepted = [...required, ...optional];
  const shown = /^[\w.[\]-]{1,64}$/.test(name) ? name : 'A name in this request';
  const detail = `${shown} is not known here; ${accepted.length ? `accepted: ${accepted.join(', ')}` : 'this request takes no parameters'}.`;
  return { code: 'unknown_parameter', detail, source: { in: where, name } };
}

/** Decoders put the replacement character where bytes were not UTF-8. */
function isCleanText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\uFFFD') && value.isWellFormed();
}

/** Only JSON has values other than strings. */
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

/** Clamped: a long digit string would become Infinity, and no id is this large. */
export function toRecordId(digits: unknown): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}

const PARSE_RECORD_ID: PipeTransform = { transform: toRecordId };

/** A record id in the path, as a number. */
export function RecordId(name: string): ParameterDecorator {
  return Param(name, PARSE_RECORD_ID);
}

/**
 * Refuses record ids that are not digits. Runs before the bearer guard, since the error reveals nothing about records. Other
 * path parameters are left to the route's own pipes.
 */
@Injectable()
export class RecordIdGuard implements CanActivate {
  private readonly recordIds = perRoute((controller, handler) =>
    inputParameters(controller, handler).flatMap(({ name, pipes }) => (name && pipes.includes(PARSE_RECORD_ID) ? [name] : [])),
  );

  canActivate(context: ExecutionContext): boolean {
    const { params } = context.switchToHttp().getRequest<Request>();
    const wrong = this.recordIds(context).find((name) => !/^\d+$/.test(String(params[name])));
    if (wrong) throw RequestError.of('invalid_parameter', `${wrong} must be an integer, in digits.`, { in: 'path', name: wrong });
    return true;
  }
}
