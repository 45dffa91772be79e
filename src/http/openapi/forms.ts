import type { OperationObject, ReferenceObject, RequestBodyObject, SchemaObject } from '@nestjs/swagger';
import { exampleOf, resolve, type Schemas } from './examples';

/** Adds an example to the body of an operation; a body that requires no field may be left out. */
export function describeForm({ requestBody }: OperationObject, schemas: Schemas): void {
  if (!requestBody || '$ref' in requestBody) return;
  requestBody.content = jsonFirst(requestBody, schemas);
  for (const media of Object.values(requestBody.content)) {
    const form = media.schema && resolve(media.schema, schemas);
    if (!form) continue;
    if (!requiresField(form, schemas)) requestBody.required = false;
    if (!('example' in media || media.examples)) Object.assign(media, examplesOf(media.schema!, form, schemas));
  }
}

/** The docs page opens on the first media type, and can't show the fields of a union as those of a form. */
function jsonFirst({ content }: RequestBodyObject, schemas: Schemas): RequestBodyObject['content'] {
  const json = content['application/json'];
  return json?.schema && variantsOf(resolve(json.schema, schemas)).length > 0 ? { 'application/json': json, ...content } : content;
}

function requiresField(form: SchemaObject, schemas: Schemas): boolean {
  const variants = variantsOf(form);
  if (variants.length === 0) return form.required !== undefined || form.properties === undefined;
  return variants.every((variant) => requiresField(resolve(variant, schemas) ?? {}, schemas));
}

/** Of a union, an example of each variant; else of the required fields, and where none is, of the first. */
function examplesOf(schema: SchemaObject | ReferenceObject, form: SchemaObject, schemas: Schemas) {
  const variants = variantsOf(form);
  if (variants.length > 0) return { examples: examplesByName(variants, '$ref' in schema ? nameOf(schema) : '', schemas) };
  const { properties, required = Object.keys(properties ?? {}).slice(0, 1) } = form;
  const shown = properties && Object.fromEntries(required.flatMap((name) => (name in properties ? [[name, properties[name]]] : [])));
  const example = exampleOf({ ...form, properties: shown }, schemas);
  return example !== undefined && { example };
}

/** `CreateHandlerEmail`, of the union `CreateHandler`, is `Email` here. */
function examplesByName(variants: readonly ReferenceObject[], union: string, schemas: Schemas): Record<string, { value: unknown }> {
  const examples = variants.map((variant) => [nameOf(variant).replace(union, ''), { value: exampleOf(variant, schemas) }] as const);
  return Object.fromEntries(examples.filter(([, { value }]) => value !== undefined));
}

/** The component that is referred to. */
function nameOf({ $ref }: ReferenceObject): string {
  return $ref.split('/').pop()!;
}

/** The named alternatives of a union. */
function variantsOf({ oneOf = [], anyOf = [] }: SchemaObject = {}): ReferenceObject[] {
  return [...oneOf, ...anyOf].filter((variant) => '$ref' in variant);
}
