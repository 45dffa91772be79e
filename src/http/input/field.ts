import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, ValidateBy } from 'class-validator';
import type { Kind } from '../../common/field-types';
import { asText } from './json-text';

const UNREADABLE = Symbol('unreadable');
const KIND = 'kind';

/** A required property of a query or form: read, checked and documented as its kind says. */
export function Field<T>(kind: Kind<T>, description: string): PropertyDecorator {
  return applyDecorators(Reads(kind), ApiProperty(schemaOf(kind, description)));
}

/** The same for a property that may be left out. */
export function OptionalField<T>(kind: Kind<T>, description: string, fallback?: T): PropertyDecorator {
  return applyDecorators(
    IsOptional(),
    Reads(kind),
    ApiProperty({ ...schemaOf(kind, description), required: false, default: fallback } as ApiPropertyOptions),
  );
}

function Reads<T>(kind: Kind<T>): PropertyDecorator {
  return applyDecorators(
    Transform(({ value, obj }: { value: unknown; obj: object }) => (isRaw(obj) ? readValue(kind, value) : value)),
    ValidateBy({
      name: KIND,
      validator: {
        validate: (value) => value !== UNREADABLE && value !== undefined,
        defaultMessage: (argument) => `${argument?.property} must be ${kind.accepts}.`,
      },
    }),
  );
}

/** A DTO that has been checked may pass a pipe, which transforms it again: its values stay. */
function isRaw(input: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(input);
  return prototype === null || prototype === Object.prototype;
}

function readValue<T>(kind: Kind<T>, value: unknown): T | typeof UNREADABLE {
  const text = asText(value);
  return (text === undefined ? undefined : kind.read(text)) ?? UNREADABLE;
}

/** Whether a DTO's property is declared by `@Field` or `@OptionalField`, and not by decorators of class-validator alone. */
export function isField(rule: { name?: string }): boolean {
  return rule.name === KIND;
}

function schemaOf({ schema, accepts }: Kind<unknown>, description: string): ApiPropertyOptions {
  return {
    ...schema,
    enum: schema.enum && [...schema.enum],
    examples: [...schema.examples],
    description: `${description} Must be ${accepts}.`,
  };
}
