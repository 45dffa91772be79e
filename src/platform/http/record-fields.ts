import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { addRecordField } from '../common/records';

export const TIME_SCHEMA = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$' } as const;

interface RecordFieldOptions {
  type: 'integer' | 'string' | 'boolean' | 'object';
  example: unknown;
  description?: string;
  enum?: string[];
  pattern?: string;
  nullable?: boolean;
}

/** A field of a record: a column that `Records` reads, and a property in the OpenAPI document. */
export function RecordField({ type, example, description, ...rules }: RecordFieldOptions): PropertyDecorator {
  const schema = type === 'object' ? { type, additionalProperties: true, ...rules } : { type, ...rules };
  return SchemaField({ ...schema, examples: [example], description });
}

export function TimeField(description: string): PropertyDecorator {
  return SchemaField({ ...TIME_SCHEMA, examples: ['2026-11-21 14:05:09'], description });
}

export function NullableTimeField(description: string, example: string | null): PropertyDecorator {
  return SchemaField({ ...TIME_SCHEMA, nullable: true, examples: [example], description });
}

export function CreationTime(): PropertyDecorator {
  return TimeField('Creation time, in UTC.');
}

export function UpdateTime(): PropertyDecorator {
  return NullableTimeField('Time of the last update, in UTC; null before the first.', null);
}

/** A field with a schema of its own. */
export function SchemaField(schema: ApiPropertyOptions): PropertyDecorator {
  return (prototype, name) => {
    addRecordField(prototype, String(name));
    ApiProperty(schema)(prototype, name);
  };
}
