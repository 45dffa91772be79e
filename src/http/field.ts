import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, ValidateBy } from 'class-validator';
import type { Kind } from './kinds';

const UNREADABLE = Symbol('unreadable');

/** A required property of a query or form: read, checked and documented as its kind says. */
export function Field<T>(kind: Kind<T>, description: string): PropertyDecorator {
  return applyDecorators(Reads(kind), ApiProperty(schemaOf(kind, description)));
}

/** The same for a property that may be left out. */
export function OptionalField<T>(kind: Kind<T>, description: string, fallback?: T): PropertyDecorator {
  return applyDecorators(IsOptional(), Reads(kind), ApiProperty({ ...schemaOf(kind, description), required: false, default: fallback }));
}

function Reads<T>(kind: Kind<T>): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: string }) => kind.read(value) ?? UNREADABLE),
    ValidateBy({
      name: 'kind',
      validator: {
        validate: (value) => value !== UNREADABLE,
        defaultMessage: (argument) => `${argument?.property} must be ${kind.accepts}.`,
      },
    }),
  );
}

function schemaOf({ schema, accepts }: Kind<unknown>, description: string) {
  return {
    ...schema,
    enum: schema.enum && [...schema.enum],
    examples: [...schema.examples],
    description: `${description} Must be ${accepts}.`,
  };
}
