import {
  ApiProperty,
  type ApiPropertyOptions,
  getSchemaPath,
  type OpenAPIObject,
  type OperationObject,
  type ParameterObject,
  type ReferenceObject,
  type ResponseObject,
  type SchemaObject,
} from '@nestjs/swagger';
import { pageEnvelope, PageLinks } from '../pagination';
import { type DocumentedOperation, pascalCase } from './operations';

export type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = SchemaObject | ReferenceObject;

/** Adds response examples to an operation, built from the examples of the response's properties. */
export function addExamples({ mainPath, operation }: DocumentedOperation, schemas: Schemas, publicUrl: string): void {
  const url = publicUrl + mainPath;
  for (const parameter of operation.parameters as ParameterObject[]) moveExamples(parameter);
  for (const [status, { headers, content }] of Object.entries(operation.responses) as [string, ResponseObject][]) {
    if (/^[45]/.test(status)) continue; // error components have their own
    const media = content?.['application/json'];
    if (!media?.schema || 'example' in media || media.examples) continue;
    const example = exampleOf(media.schema, schemas);
    if (example === undefined) continue;
    const page = isPage(media.schema) && { records: (example as { data: object[] }).data, total: 1, request: { page: 1, size: 25 } };
    media.example = page ? pageEnvelope(page, (number) => `${url}?&page=${number}`) : example;
    const id = (example as { data?: { id?: unknown } }).data?.id;
    if (headers?.Location && typeof id === 'number') Object.assign(headers.Location, { example: `${url}/${id}` });
  }
}

/** Adds examples to an operation's body, and makes a body without required fields optional. */
export function describeForm({ requestBody }: OperationObject, schemas: Schemas): void {
  if (!requestBody || '$ref' in requestBody) return;
  // Swagger UI opens on the first media type, and can't show a union as form fields.
  const json = requestBody.content['application/json'];
  const isUnion = json?.schema && variantsOf(resolve(json.schema, schemas)).length > 0;
  if (isUnion) requestBody.content = { 'application/json': json, ...requestBody.content };
  for (const media of Object.values(requestBody.content)) {
    const form = media.schema && resolve(media.schema, schemas);
    if (!media.schema || !form) continue;
    if (!requiresField(form, schemas)) requestBody.required = false;
    if (!('example' in media || media.examples)) Object.assign(media, formExamples(media.schema, form, schemas));
  }
}

/** Built from the schema's own examples; undefined if a required property has none. */
export function exampleOf(schema: Schema, schemas: Schemas, within: readonly Schema[] = []): unknown {
  const resolved = resolve(schema, schemas);
  if (!resolved || within.includes(resolved)) return undefined;
  const inner = (part: Schema) => exampleOf(part, schemas, [...within, resolved]);
  const { example, examples, default: fallback, items, anyOf, oneOf, allOf, properties } = resolved;
  if (Array.isArray(examples)) return examples[0];
  if (example !== undefined) return example;
  if (fallback !== undefined) return fallback;
  const [alternative] = [...(oneOf ?? []), ...(anyOf ?? [])];
  if (alternative) return inner(alternative);
  if (items) {
    const item = inner(items);
    return item === undefined ? undefined : [item];
  }
  const parts = [...(allOf ?? []).map(inner), ...(properties ? [exampleOfObject(resolved, inner)] : [])];
  return parts.length === 0 || parts.includes(undefined) ? undefined : Object.assign({}, ...parts);
}

/** Optional properties without an example are left out. */
function exampleOfObject({ properties = {}, required = [] }: SchemaObject, inner: (part: Schema) => unknown): object | undefined {
  const values = Object.entries(properties).map(([name, property]) => [name, inner(property)] as const);
  if (values.some(([name, value]) => value === undefined && required.includes(name))) return undefined;
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function requiresField(form: SchemaObject, schemas: Schemas): boolean {
  const variants = variantsOf(form);
  if (variants.length === 0) return form.required !== undefined || form.properties === undefined;
  return variants.every((variant) => requiresField(resolve(variant, schemas) ?? {}, schemas));
}

/** An example per variant of a union; otherwise one with the required fields, or the first field when none is required. */
function formExamples(schema: Schema, form: SchemaObject, schemas: Schemas) {
  const variants = variantsOf(form);
  if (variants.length > 0) {
    const union = '$ref' in schema ? nameOf(schema) : ''; // `CreateHandlerEmail` of `CreateHandler` → `Email`
    const examples = variants.map((variant) => [nameOf(variant).replace(union, ''), { value: exampleOf(variant, schemas) }] as const);
    return { examples: Object.fromEntries(examples.filter(([, { value }]) => value !== undefined)) };
  }
  const { properties, required = Object.keys(properties ?? {}).slice(0, 1) } = form;
  const shown = properties && Object.fromEntries(required.flatMap((name) => (name in properties ? [[name, properties[name]]] : [])));
  const example = exampleOf({ ...form, properties: shown }, schemas);
  return example !== undefined && { example };
}

function resolve(schema: Schema, schemas: Schemas): SchemaObject | undefined {
  if (!('$ref' in schema)) return schema;
  const target = schemas[nameOf(schema)];
  return target && resolve(target, schemas);
}

/** The named alternatives of a union. */
function variantsOf({ oneOf = [], anyOf = [] }: SchemaObject = {}): ReferenceObject[] {
  return [...oneOf, ...anyOf].filter((variant) => '$ref' in variant);
}

function nameOf({ $ref }: ReferenceObject): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

function isPage(schema: Schema): boolean {
  const links = 'properties' in schema && schema.properties?.links;
  return links && '$ref' in links ? links.$ref === getSchemaPath(PageLinks) : false;
}

/** Moves examples to the schema: there `examples` is an array, in a parameter a map, and @nestjs/swagger mixes them up. */
function moveExamples(parameter: ParameterObject): void {
  if (!Array.isArray(parameter.examples)) return;
  parameter.schema = { ...parameter.schema, examples: parameter.examples };
  delete parameter.examples;
}

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

/** Like `VariesBy`, for values known only at run time; `properties` maps each property to its `schemas`. */
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
