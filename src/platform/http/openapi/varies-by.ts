import { ApiProperty, type ApiPropertyOptions, type SchemaObject } from '@nestjs/swagger';

export const VARIATION_MARK = 'x-varies';

export interface Variation {
  by: string;
  schemas: Record<string, object>;
}

/**
 * Documents a class as a union discriminated by its enum property `by`. `schemas` maps values of `by` to the decorated
 * property's schema; for values that it omits, the property is absent.
 */
export function VariesBy(by: string, schemas: Record<string, object>): PropertyDecorator {
  return ApiProperty({ [VARIATION_MARK]: { by, schemas } satisfies Variation } as ApiPropertyOptions);
}

/** Like `VariesBy`, for values known only at run time; `properties` maps each property to its `schemas`. */
export function varyBy(schema: SchemaObject, by: string, properties: Record<string, Record<string, object>>): void {
  for (const [name, schemas] of Object.entries(properties))
    Object.assign(schema.properties![name], { [VARIATION_MARK]: { by, schemas } satisfies Variation });
}

export function variationOf(property: object): Variation | undefined {
  return (property as { [VARIATION_MARK]?: Variation })[VARIATION_MARK];
}
