import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, ValidateBy } from 'class-validator';
import type { FieldType } from '../../common/field-types';
import { asText } from './json-text';

const UNREADABLE = Symbol('unreadable');
const FIELD_TYPE = 'fieldType';

/** A required property of a query or form: read, checked and documented as its type says. */
export function Field<T>(fieldType: FieldType<T>, description: string): PropertyDecorator {
  return applyDecorators(Reads(fieldType), ApiProperty(schemaOf(fieldType, description)));
}

/** The same for a property that may be left out. */
export function OptionalField<T>(fieldType: FieldType<T>, description: string, fallback?: T): PropertyDecorator {
  return applyDecorators(
    IsOptional(),
    Reads(fieldType),
    ApiProperty({ ...schemaOf(fieldType, description), required: false, default: fallback } as ApiPropertyOptions),
  );
}

function Reads<T>(fieldType: FieldType<T>): PropertyDecorator {
  return applyDecorators(
    Transform(({ value, obj }: { value: unknown; obj: object }) => (isRaw(obj) ? readValue(fieldType, value) : value)),
    ValidateBy({
      name: FIELD_TYPE,
      validator: {
        validate: (value) => value !== UNREADABLE && value !== undefined,
        defaultMessage: (argument) => `${argument?.property} must be ${fieldType.expected}.`,
      },
    }),
  );
}

/** A DTO that has been checked may pass a pipe, which transforms it again: its values stay. */
function isRaw(input: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(input);
  return prototype === null || prototype === Object.prototype;
}

function readValue<T>(fieldType: FieldType<T>, value: unknown): T | typeof UNREADABLE {
  const text = asText(value);
  return (text === undefined ? undefined : fieldType.parse(text)) ?? UNREADABLE;
}

/** Whether a DTO's property is declared by `@Field` or `@OptionalField`, and not by decorators of class-validator alone. */
export function isField(rule: { name?: string }): boolean {
  return rule.name === FIELD_TYPE;
}

function schemaOf({ schema, expected: accepts }: FieldType<unknown>, description: string): ApiPropertyOptions {
  return {
    ...schema,
    enum: schema.enum && [...schema.enum],
    examples: [...schema.examples],
    description: `${description} Must be ${accepts}.`,
  };
}
