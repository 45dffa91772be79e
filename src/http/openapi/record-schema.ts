import { ApiProperty } from '@nestjs/swagger';

/** A field of a record, as the OpenAPI document shows it. */
export function RecordField(
  type: 'integer' | 'string' | 'boolean' | 'object',
  example: unknown,
  description?: string,
  rules: { enum?: string[]; pattern?: string } = {},
): PropertyDecorator {
  const schema = type === 'object' ? { type, additionalProperties: true, ...rules } : { type, ...rules };
  return ApiProperty({ ...schema, examples: [example], description });
}

export function TimeField(description: string): PropertyDecorator {
  return ApiProperty({ ...TIME, examples: ['2026-11-21 14:05:09'], description });
}

export function CreationTime(): PropertyDecorator {
  return TimeField('When the record was made, in UTC.');
}

export function UpdateTime(): PropertyDecorator {
  return ApiProperty({ ...TIME, nullable: true, examples: [null], description: 'Last update, in UTC; null before the first.' });
}

const TIME = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$' } as const;
