import { ApiProperty, type ApiPropertyOptions, getSchemaPath, type SchemaObject } from '@nestjs/swagger';
import { exampleOf, type Schemas } from './examples';
import { pascalCase } from './operation-ids';

const VARIES = 'x-varies';

interface Variation {
  by: string;
  schemas: Record<string, object>;
}

/**
 * Makes the document's schema of a class a union: one schema for each value of the property `by`. `schemas` has, by that
 * value, what the property is then; for a value that it lacks, the property isn't there.
 */
export function VariesBy(by: string, schemas: Record<string, object>): PropertyDecorator {
  return ApiProperty({ [VARIES]: { by, schemas } satisfies Variation } as ApiPropertyOptions);
}

export function addUnions(schemas: Schemas): void {
  for (const [name, schema] of Object.entries(schemas) as [string, SchemaObject][]) {
    const by = Object.values(schema.properties ?? {})
      .map(variationOf)
      .find(Boolean)?.by;
    if (by) schemas[name] = unionOf(name, schema, by, schemas);
  }
}

function unionOf(name: string, schema: SchemaObject, by: string, schemas: Schemas): SchemaObject {
  const values = (schema.properties![by] as SchemaObject).enum as string[];
  const mapping = Object.fromEntries(values.map((value) => [value, getSchemaPath(name + pascalCase(value))]));
  for (const value of values) schemas[name + pascalCase(value)] = variantOf(schema, by, value);
  const variants = Object.values(mapping).map(($ref) => ({ $ref }));
  // A discriminator has to be required. Without it nothing tells the variants apart when none of their own fields is there.
  return schema.required?.includes(by) ? { oneOf: variants, discriminator: { propertyName: by, mapping } } : { anyOf: variants };
}

function variantOf(schema: SchemaObject, by: string, value: string): SchemaObject {
  const all = Object.entries(schema.properties!) as [string, SchemaObject][];
  const isThere = (property: SchemaObject) => value in (variationOf(property)?.schemas ?? { [value]: {} });
  const properties: Record<string, SchemaObject> = Object.fromEntries(
    all.filter(([, property]) => isThere(property)).map(([name, property]) => [name, propertyFor(value, property)]),
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
