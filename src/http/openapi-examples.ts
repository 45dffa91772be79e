import type { HeaderObject, OpenAPIObject, ParameterObject, ResponseObject, SchemaObject } from '@nestjs/swagger';
import { Page } from '../database/page';
import type { DocumentedOperation } from './openapi-operations';
import { pageEnvelope } from './page-envelope';

export type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/** Adds examples of what an operation takes and answers, made of the examples that its properties have. */
export function addExamples({ mainPath, operation }: DocumentedOperation, schemas: Schemas, publicUrl: string): void {
  const address = publicUrl + mainPath;
  for (const parameter of operation.parameters as ParameterObject[]) moveExamples(parameter);
  for (const { headers, content } of Object.values(operation.responses) as ResponseObject[]) {
    const media = content?.['application/json'];
    if (!media?.schema) continue;
    const example = exampleOf(media.schema, schemas) as { data: object[] | { id: number } };
    media.example =
      'meta' in example && Array.isArray(example.data)
        ? pageEnvelope(new Page(example.data, 1, { page: 1, size: 25 }), (page) => `${address}?&page=${page}`)
        : example;
    if (headers?.Location && 'id' in example.data) (headers.Location as HeaderObject).example = `${address}/${example.data.id}`;
  }
}

export function exampleOf(schema: Schemas[string], schemas: Schemas): unknown {
  const { examples, items, anyOf, properties = {} } = resolve(schema, schemas);
  if (Array.isArray(examples)) return examples[0];
  if (anyOf) return exampleOf(anyOf[0], schemas);
  if (items) return [exampleOf(items, schemas)];
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, exampleOf(property, schemas)]));
}

export function resolve(schema: Schemas[string], schemas: Schemas): SchemaObject {
  return '$ref' in schema ? resolve(schemas[schema.$ref.split('/').pop()!], schemas) : schema;
}

/** A schema's examples are an array, a parameter's are not: @nestjs/swagger takes the former for the latter. */
function moveExamples(parameter: ParameterObject): void {
  if (!Array.isArray(parameter.examples)) return;
  parameter.schema = { ...parameter.schema, examples: parameter.examples };
  delete parameter.examples;
}
