import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, ValidateBy } from 'class-validator';
import type { FieldType } from '../../common/field-types';

const INVALID = Symbol('invalid');
const FIELD_TYPE = 'fieldType';

/** The DTO of a request without fields: `@Body() _: NoFields` refuses any. */
export class NoFields {}

/** A required property of a query or form; `fieldType` parses, validates and documents it. */
export function Field<T>(fieldType: FieldType<T>, description: string): PropertyDecorator {
  return applyDecorators(Parses(fieldType), ApiProperty(schemaOf(fieldType, description)));
}

export function OptionalField<T>(fieldType: FieldType<T>, description: string, fallback?: T): PropertyDecorator {
  return applyDecorators(
    IsOptional(),
    Parses(fieldType),
    ApiProperty({ ...schemaOf(fieldType, description), required: false, default: fallback } as ApiPropertyOptions),
  );
}

function Parses<T>(fieldType: FieldType<T>): PropertyDecorator {
  return applyDecorators(
    Transform(({ value, obj }: { value: unknown; obj: object }) => (isRaw(obj) ? parseValue(fieldType, value) : value)),
    ValidateBy({
      name: FIELD_TYPE,
      validator: {
        validate: (value) => value !== INVALID && value !== undefined,
        defaultMessage: (argument) => `${argument?.property} must be ${fieldType.expected}.`,
      },
    }),
  );
}

/** False for a checked DTO that a pipe transforms again: its values are already parsed. */
function isRaw(input: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(input);
  return prototype === null || prototype === Object.prototype;
}

function parseValue<T>(fieldType: FieldType<T>, value: unknown): T | typeof INVALID {
  const text = asText(value);
  return (text === undefined ? undefined : fieldType.parse(text)) ?? INVALID;
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
export function isField(rule: { name?: string }): boolean {
  return rule.name === FIELD_TYPE;
}

function schemaOf({ schema, expected }: FieldType<unknown>, description: string): ApiPropertyOptions {
  return {
    ...schema,
    enum: schema.enum && [...schema.enum],
    examples: [...schema.examples],
    description: `${description} Must be ${expected}.`,
  };
}
