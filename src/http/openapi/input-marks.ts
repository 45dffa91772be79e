import type { OperationObject } from '@nestjs/swagger';
import { KEY_MARK, NO_KEY_MARK } from '../input/idempotency-key';
import { VALUE_LIMIT_MARK } from '../input/value-limit';

/** Replaces the marks of `@WriteContextOf`, `@RefusesIdempotencyKey` and `@ValueLimit` by what they mean. */
export function resolveMarks(operation: OperationObject): void {
  const marks = operation as unknown as Record<string, unknown>;
  const { [KEY_MARK]: handlesKey, [NO_KEY_MARK]: refusesKey, [VALUE_LIMIT_MARK]: bytes } = marks;
  for (const mark of [KEY_MARK, NO_KEY_MARK, VALUE_LIMIT_MARK]) Reflect.deleteProperty(operation, mark);
  if (!handlesKey || refusesKey)
    operation.parameters = operation.parameters?.filter((one) => !('name' in one && one.name === 'Idempotency-Key'));
  if (bytes === undefined) return;
  const sentence = `A form value may have at most ${Number(bytes)} bytes.`;
  operation.description = [operation.description, sentence].filter(Boolean).join('\n\n');
}
