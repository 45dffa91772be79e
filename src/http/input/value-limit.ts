import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { Handler } from '../server/nest-metadata';

const VALUE_BYTES = 'frontdesk:value-bytes';
/** Becomes a sentence in the operation's description. */
export const VALUE_LIMIT_MARK = 'x-value-limit';

/** Raises the limit of a form value on this route; the limit of the body stays. */
export function ValueLimit(bytes: number): MethodDecorator {
  return applyDecorators(SetMetadata(VALUE_BYTES, bytes), ApiExtension(VALUE_LIMIT_MARK, bytes));
}

/** Undefined: the limit of all forms. */
export function valueLimitOf(handler: Handler): number | undefined {
  return Reflect.getMetadata(VALUE_BYTES, handler) as number | undefined;
}
