import { ApiProperty, type ApiPropertyOptions, getSchemaPath, type SchemaObject } from '@nestjs/swagger';
import { exampleOf, type Schemas } from './examples';
import { pascalCase } from './operations';

const VARIES = 'x-varies';

interface Variation {
  by: string;
  schemas: Record<string, object>;
}

/**
 * Documents a class as a union discriminated by its enum property `by`. `schemas` maps values of `by` to the decorated
 * property's schema; for values that it omits, the property is absent.
 */
export function VariesBy(by: string, schemas: Record<string, object>): PropertyDecorator {
  return ApiProperty({ [VARIES]: { by, schemas } satisfies Variation } as ApiPropertyOptions);
}

/** The same for values that are known at run time only: `properties` maps properties to their `schemas`. */
export function varyBy(schema: SchemaObject, by: string, properties: Record<string, Record<string, object>>): void {
  for (const [name, schemas] of Object.entries(properties))
    Object.assign(schema.properties![name], { [VARIES]: { by, schemas } satisfies Variation });
}

export function addUnions(schemas: Schemas): void {
  for (const [name, schema] of Object.entries(schemas) as [string, SchemaObject][]) {
    const [variation] = Object.values(schema.properties ?? {}).flatMap((property) => variationOf(property) ?? []);
    if (variation) schemas[name] = unionOf(name, schema, variation.by, schemas);
  }
}

function unionOf(name: string, schema: SchemaObject, by: string, schemas: Schemas): SchemaObject {
  const mapping: Record<string, string> = {};
  for (const value of (schema.properties![by] as SchemaObject).enum as string[]) {
    mapping[value] = getSchemaPath(name + pascalCase(value));
    schemas[name + pascalCase(value)] = variantOf(schema, by, value);
  }
  const variants = Object.values(mapping).map(($ref) => ({ $ref }));
  // A discriminator must be required. Without one, input may match several variants: anyOf.
  return schema.required?.includes(by) ? { oneOf: variants, discriminator: { propertyName: by, mapping } } : { anyOf: variants };
}

function variantOf(schema: SchemaObject, by: string, value: string): SchemaObject {
  const all = Object.entries(schema.properties!) as [string, SchemaObject][];
  const isPresent = (property: SchemaObject) => value in (variationOf(property)?.schemas ?? { [value]: {} });
  const properties: Record<string, SchemaObject> = Object.fromEntries(
    all.filter(([, property]) => isPresent(property)).map(([name, property]) => [name, propertyFor(value, property)]),
  );
  properties[by] = { type: 'string', enum: [value], examples: [value] };
  const variant: SchemaObject = { ...schema, properties, required: schema.required?.filter((name) => name in properties) };
  const own = all.filter(([name, property]) => name in properties && variationOf(property)).map(([name]) => name);
  if (all.length > Object.keys(properties).length) variant.additionalProperties = false;
  return { ...variant, examples: [exampleOf({ ...variant, required: [...(schema.required ?? []), ...own] }, {})] };
}

function propertyFor(value: string, property: SchemaObject): SchemaObject {
  const { [VARIES]: variation, ...common } = property as SchemaObject & { [VARIES]?: Variation };
  return { ...common, ...variation?.schemas[value] };
}

function variationOf(property: object): Variation | undefined {
  return (property as { [VARIES]?: Variation })[VARIES];
}
