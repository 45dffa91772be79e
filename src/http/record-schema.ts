import { ApiProperty } from '@nestjs/swagger';

interface Rules {
  enum?: string[];
  pattern?: string;
  additionalProperties?: { type: string };
}

/** A field of a record, as the OpenAPI document shows it. */
export function Value(
  type: 'integer' | 'string' | 'boolean' | 'object',
  example: unknown,
  description?: string,
  rules: Rules = {},
): PropertyDecorator {
  const schema = type === 'object' ? { type, additionalProperties: true, ...rules } : { type, ...rules };
  return ApiProperty({ ...schema, examples: [example], description });
}

export function Time(description = 'When the record was made, in UTC.'): PropertyDecorator {
  return ApiProperty({
    type: 'string',
    pattern: TIME,
    examples: ['2026-11-21 14:05:09'],
    description,
  });
}

export function NullableTime(): PropertyDecorator {
  return ApiProperty({
    type: 'string',
    nullable: true,
    pattern: TIME,
    examples: [null],
    description: 'Last update, in UTC; null before the first.',
  });
}

const TIME = '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$';
