import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { type ClassTransformOptions, Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import {
  type FieldType,
  FLAG,
  HTTP_URL,
  oneOf,
  orEmpty,
  parseText,
  POSITIVE_INTEGER,
  RECORD_ID,
  InvalidInput,
  text,
} from '../../common/field-types';
import { trimInvisible } from '../../common/invisible-characters';

export interface RuleOptions {
  /** For the OpenAPI document. */
  default?: unknown;
  /** Accepts JSON null, which clears the column. A form has no null: its empty value is an empty string. */
  nullable?: boolean;
}

/** Documents, parses and checks a property of a query or form. `@IsOptional()` makes it optional. */
type RuleDecorator = (description: string, options?: RuleOptions) => PropertyDecorator;

/** class-transformer options, extended for our rules: form values are trimmed, query values are not. */
export interface ParseOptions extends ClassTransformOptions {
  isForm?: boolean;
}

/** Makes a property decorator, like those of class-validator, from a field type. */
export function rule<T>(name: string, fieldType: FieldType<T>): RuleDecorator {
  const { expected, schema, takesIntegers } = fieldType;
  return (description, { nullable = false, default: fallback } = {}) =>
    applyDecorators(
      Transform(({ value, obj, options }: { value: unknown; obj: object; options: ParseOptions }) =>
        isRawInput(obj) && !(nullable && value === null) ? parseValue(fieldType, value, obj, options.isForm) : value,
      ),
      ValidateBy({
        name,
        validator: {
          validate: (value) => !(value instanceof InvalidInput) && value !== undefined,
          defaultMessage: (argument) =>
            `${argument?.property} ${argument?.value instanceof InvalidInput ? argument.value.reason : 'is required'}.`,
        },
      }),
      ApiProperty({
        // Without it, @nestjs/swagger would document the property's own type, an array. It drops `type` beside `anyOf`.
        ...(takesIntegers && { type: String }),
        ...schema,
        ...(nullable && { nullable }),
        default: fallback,
        enum: schema.enum && [...schema.enum],
        examples: [...schema.examples],
        description: `${description} Must be ${expected}.`,
      }),
    );
}

/** `max` counts Unicode code points. */
export function IsText(max: number, description: string, { example, ...options }: RuleOptions & { example: string }): PropertyDecorator {
  return rule('isText', text(max, example))(description, options);
}

export function IsOneOf<T extends string | number>(values: readonly T[], description: string, options?: RuleOptions): PropertyDecorator {
  return rule('isOneOf', oneOf(values, values[0]))(description, options);
}

export const IsFlag = rule('isFlag', FLAG);
export const IsHttpUrl = rule('isHttpUrl', HTTP_URL);
export const IsHttpUrlOrEmpty = rule('isHttpUrlOrEmpty', orEmpty(HTTP_URL));
export const IsPositiveInteger = rule('isPositiveInteger', POSITIVE_INTEGER);
export const IsRecordId = rule('isRecordId', RECORD_ID);

/** False for a DTO that a second pipe transforms, because its values have been parsed. */
function isRawInput(input: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(input);
  return prototype === null || prototype === Object.prototype;
}

function parseValue<T>(fieldType: FieldType<T>, value: unknown, input: object, isForm?: boolean): T | InvalidInput {
  if (Array.isArray(value) && !fieldType.takesIntegers) return new InvalidInput('must be a single value, neither repeated nor an array');
  const raw = Array.isArray(value) ? asList(value, input) : asText(value);
  if (raw === undefined) return new InvalidInput(`must be ${Array.isArray(value) ? fieldType.expected : expectedFor(value)}`);
  // Decoders insert U+FFFD, the replacement character, where bytes were not valid UTF-8.
  if (raw.includes('\uFFFD') || !raw.isWellFormed()) return new InvalidInput('must be text in valid UTF-8');
  return parseText(fieldType, isForm ? trimInvisible(raw) : raw);
}

/** Joins the values with commas; undefined if JSON contains anything but integers. Form and query parsers return objects without a prototype. */
function asList(values: unknown[], input: object): string | undefined {
  const isJson = Object.getPrototypeOf(input) !== null;
  if (!isJson) return values.map((value) => trimInvisible(String(value))).join(',');
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

function expectedFor(value: unknown): string {
  if (typeof value === 'number') return 'text, not a number too large to keep its digits';
  return `text, not ${value === null ? 'null' : 'an object'}`;
}
