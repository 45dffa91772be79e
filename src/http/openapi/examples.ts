import {
  getSchemaPath,
  type HeaderObject,
  type OpenAPIObject,
  type ParameterObject,
  type ReferenceObject,
  type ResponseObject,
  type SchemaObject,
} from '@nestjs/swagger';
import { Page } from '../../common/page';
import type { DocumentedOperation } from './operations';
import { pageEnvelope } from '../pagination/page-envelope';
import { PageLinks } from '../pagination/page-schema';

export type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = SchemaObject | ReferenceObject;

/** Adds examples of what an operation takes and answers, made of the examples that its properties have. */
export function addExamples({ mainPath, operation }: DocumentedOperation, schemas: Schemas, publicUrl: string): void {
  const address = publicUrl + mainPath;
  for (const parameter of operation.parameters as ParameterObject[]) moveExamples(parameter);
  for (const [status, { headers, content }] of Object.entries(operation.responses) as [string, ResponseObject][]) {
    if (/^[45]/.test(status)) continue; // the components have examples of their own
    const media = content?.['application/json'];
    if (!media?.schema || 'example' in media || media.examples) continue;
    const example = exampleOf(media.schema, schemas);
    if (example === undefined) continue;
    media.example = isPage(media.schema)
      ? pageEnvelope(new Page((example as { data: object[] }).data, 1, { page: 1, size: 25 }), (page) => `${address}?&page=${page}`)
      : example;
    const location = headers?.Location as HeaderObject | undefined;
    if (location && isCreated(example)) location.example = `${address}/${example.data.id}`;
  }
}

/** What the schema's own examples give, or undefined: an example that is made up would say what nobody has declared. */
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
  if (items) return listOf(inner(items));
  const parts = [...(allOf ?? []).map(inner), ...(properties ? [exampleOfObject(resolved, inner)] : [])];
  return parts.length === 0 || parts.includes(undefined) ? undefined : Object.assign({}, ...parts);
}

/** Without what is optional and has no example. */
function exampleOfObject({ properties = {}, required = [] }: SchemaObject, inner: (part: Schema) => unknown): object | undefined {
  const values = Object.entries(properties).map(([name, property]) => [name, inner(property)] as const);
  if (values.some(([name, value]) => value === undefined && required.includes(name))) return undefined;
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function listOf(example: unknown): unknown[] | undefined {
  return example === undefined ? undefined : [example];
}

export function resolve(schema: Schema, schemas: Schemas): SchemaObject | undefined {
  if (!('$ref' in schema)) return schema;
  const target = schemas[schema.$ref.split('/').pop()!];
  return target && resolve(target, schemas);
}

function isPage(schema: Schema): boolean {
  const links = 'properties' in schema && schema.properties?.links;
  return links && '$ref' in links ? links.$ref === getSchemaPath(PageLinks) : false;
}

function isCreated(example: unknown): example is { data: { id: number } } {
  const { data } = Object(example) as { data?: unknown };
  return typeof (Object(data) as { id?: unknown }).id === 'number';
}

/** A schema's examples are an array, a parameter's are not: @nestjs/swagger takes the former for the latter. */
function moveExamples(parameter: ParameterObject): void {
  if (!Array.isArray(parameter.examples)) return;
  parameter.schema = { ...parameter.schema, examples: parameter.examples };
  delete parameter.examples;
}
