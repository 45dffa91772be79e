import { getSchemaPath, type OpenAPIObject, type OperationObject, type ReferenceObject, type SchemaObject } from '@nestjs/swagger';
import { pascalCase } from './operations';
import { VARIATION_MARK, type Variation, variationOf } from './varies-by';

export type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = SchemaObject | ReferenceObject;

/** Makes a body without required fields optional, and shows an example of each variant of a union. */
export function describeForm({ requestBody }: OperationObject, schemas: Schemas): void {
  if (!requestBody || '$ref' in requestBody) return;
  const json = requestBody.content['application/json'];
  const variants = json?.schema ? variantsOf(resolve(json.schema, schemas)) : [];
  if (variants.length > 0) {
    // Swagger UI opens on the first media type, and makes an example of a union's first variant only.
    json.examples = Object.fromEntries(variants.map((variant) => [nameOf(variant), { value: exampleOf(variant, schemas) }]));
    requestBody.content = { 'application/json': json, ...requestBody.content };
  }
  const forms = Object.values(requestBody.content).map(({ schema }) => schema && resolve(schema, schemas));
  if (forms.some((form) => form && !requiresField(form, schemas))) requestBody.required = false;
}

function requiresField(form: SchemaObject, schemas: Schemas): boolean {
  const variants = variantsOf(form);
  if (variants.length === 0) return form.required !== undefined || form.properties === undefined;
  return variants.every((variant) => requiresField(resolve(variant, schemas) ?? {}, schemas));
}

function resolve(schema: Schema, schemas: Schemas): SchemaObject | undefined {
  if (!('$ref' in schema)) return schema;
  const target = schemas[nameOf(schema)];
  return target && resolve(target, schemas);
}

function nameOf({ $ref }: ReferenceObject): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

function exampleOf(variant: ReferenceObject, schemas: Schemas): object {
  const fields = Object.entries(resolve(variant, schemas)?.properties ?? {});
  return Object.fromEntries(fields.map(([name, field]) => [name, [resolve(field, schemas)?.examples].flat()[0]]));
}

/** The named alternatives of a union. */
function variantsOf({ oneOf = [], anyOf = [] }: SchemaObject = {}): ReferenceObject[] {
  return [...oneOf, ...anyOf].filter((variant) => '$ref' in variant);
}

/** Moves examples from parameters to their schemas: @nestjs/swagger writes an array, which only a schema may have; a parameter has a map. */
export function moveExamples({ parameters = [] }: OperationObject): void {
  for (const parameter of parameters) {
    if ('$ref' in parameter || !Array.isArray(parameter.examples)) continue;
    parameter.schema = { ...parameter.schema, examples: parameter.examples };
    delete parameter.examples;
  }
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
  return all.length > Object.keys(properties).length ? { ...variant, additionalProperties: false } : variant;
}

function propertyFor(value: string, property: SchemaObject): SchemaObject {
  const { [VARIATION_MARK]: variation, ...common } = property as SchemaObject & { [VARIATION_MARK]?: Variation };
  return { ...common, ...variation?.schemas[value] };
}
