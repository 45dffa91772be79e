import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions, DECORATORS } from '@nestjs/swagger';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, ValidationTypes } from 'class-validator';

/** What the compiler plugin of @nestjs/swagger adds to a class, and `SwaggerModule` reads. The plugin itself runs neither in swc nor in tsc. */
const FACTORY = '_OPENAPI_METADATA_FACTORY';

/** Options of `@ApiProperty`. */
type Schema = Record<string, unknown>;
type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

const always = (schema: Schema) => () => schema;
const text = (format?: string) => always({ type: 'string', ...(format && { format }) });
const keyword = (name: string) => (value: unknown) => ({ [name]: value });

/** Schemas of class-validator's rules, by the names in its metadata. Where two have a keyword in common, the later one wins. */
const SCHEMAS: Record<string, (...constraints: unknown[]) => Schema> = {
  isNotEmpty: always({ minLength: 1 }),
  isString: text(),
  isBoolean: always({ type: 'boolean' }),
  isNumber: always({ type: 'number' }),
  isInt: always({ type: 'integer' }),
  isObject: always({ type: 'object' }),
  isArray: always({ type: 'array' }),
  isIn: (values) => enumOf(values as unknown[]),
  isEnum: (_entity, values) => enumOf(values as unknown[]),
  isPositive: always({ exclusiveMinimum: 0 }),
  isNegative: always({ exclusiveMaximum: 0 }),
  min: keyword('minimum'),
  max: keyword('maximum'),
  isDivisibleBy: keyword('multipleOf'),
  isLength: (minLength, maxLength) => ({ minLength, maxLength }),
  minLength: keyword('minLength'),
  maxLength: keyword('maxLength'),
  matches: (pattern) => (pattern instanceof RegExp && !/[ims]/.test(pattern.flags) ? { pattern: pattern.source } : {}),
  isEmail: text('email'),
  isUrl: text('uri'),
  isUuid: text('uuid'),
  isFqdn: text('hostname'),
  isDateString: text('date-time'),
  isIso8601: text('date-time'),
  arrayNotEmpty: always({ minItems: 1 }),
  arrayMinSize: keyword('minItems'),
  arrayMaxSize: keyword('maxItems'),
  arrayUnique: always({ uniqueItems: true }),
};

interface Described extends Type<object> {
  [FACTORY]?: () => Record<string, Schema>;
}

const described = new WeakSet<Described>();

/** Lets `SwaggerModule` document DTOs by class-validator's decorators. What `@ApiProperty`, or the plugin, says takes precedence. */
export function documentValidation(): void {
  for (const dto of (getMetadataStorage()['validationMetadatas'] as Map<Described | string, unknown>).keys()) {
    if (typeof dto !== 'function' || described.has(dto)) continue;
    described.add(dto);
    const given = Object.hasOwn(dto, FACTORY) ? dto[FACTORY]?.() : {}; // of the plugin, or of PartialType and the like
    let properties: Record<string, Schema> | undefined;
    dto[FACTORY] = () => (properties ??= { ...propertiesOf(dto), ...given });
  }
}

function propertiesOf(dto: Type<object>): Record<string, Schema> {
  const storage = getMetadataStorage();
  const rules = storage.groupByPropertyName(storage.getTargetValidationMetadatas(dto, '', false, false));
  return Object.fromEntries(Object.entries(rules).map(([name, own]) => [name, propertyOf(dto, name, own)]));
}

function propertyOf(dto: Type<object>, name: string, rules: readonly Rule[]): Schema {
  const prototype = dto.prototype as object;
  const declared: unknown = Reflect.getMetadata('design:type', prototype, name);
  const given = Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES, prototype, name) as Schema | undefined;
  const required = !rules.some(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
  const { type, isArray, items, ...rest } = schemaOf(dto, name, rules, declared);
  const shape = { type, isArray, items } as ApiPropertyOptions;
  if (!given) return { required, ...rest, ...shape, ...(!type && !declared && { type: Object }) };
  // An `@ApiProperty` without a type has stored the declared one, such as Number where the rules say integer.
  if (type && given.type === declared) ApiProperty(shape)(prototype, name);
  return { required, ...rest };
}

function schemaOf(dto: Type<object>, name: string, rules: readonly Rule[], declared: unknown): Schema {
  const ofItems = rules.filter(({ each }) => each);
  const own = merged(rules.filter(({ each }) => !each));
  const isArray = ofItems.length > 0 || own.type === 'array' || declared === Array;
  const nested = rules.some(({ type }) => type === ValidationTypes.NESTED_VALIDATION) && nestedType(dto, name);
  if (nested) return { ...own, type: () => nested, isArray };
  return isArray ? { ...own, type: 'array', items: merged(ofItems) } : own;
}

function merged(rules: readonly Rule[]): Schema {
  const schemas = Object.entries(SCHEMAS).flatMap(([name, schemaFrom]) =>
    rules.filter((rule) => rule.name === name).map(({ constraints }) => schemaFrom(...((constraints as unknown[] | undefined) ?? []))),
  );
  return Object.assign({}, ...schemas) as Schema;
}

/** The class in `@Type(() => Class)`, which class-transformer keeps to itself. */
function nestedType(dto: Type<object>, name: string): Type | undefined {
  const made = plainToInstance(dto, { [name]: [{}] })[name as never] as unknown;
  const type = Array.isArray(made) ? (made[0] as object).constructor : Object;
  return type === Object ? undefined : (type as Type);
}

function enumOf(values: readonly unknown[]): Schema {
  const types = new Set(values.map((value) => (Number.isInteger(value) ? 'integer' : typeof value)));
  return { enum: [...values], ...(types.size === 1 && { type: [...types][0] }) };
}
