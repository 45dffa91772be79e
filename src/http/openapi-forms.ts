import type { OperationObject, RequestBodyObject, SchemaObject } from '@nestjs/swagger';
import { exampleOf, resolve, type Schemas } from './openapi-examples';

/** Adds an example to the form of an operation, and says what differs when it is an update: a form that requires nothing. */
export function describeForm({ requestBody }: OperationObject, schemas: Schemas): void {
  if (!requestBody) return;
  const body = requestBody as RequestBodyObject;
  for (const media of Object.values(body.content)) {
    const form = resolve(media.schema!, schemas);
    body.required = form.required !== undefined;
    if (!body.required) dropDefaults(form);
    media.example = formExample(form);
  }
}

/** What an update leaves out stays as it is. */
function dropDefaults(form: SchemaObject): void {
  for (const property of Object.values(form.properties ?? {})) delete (property as SchemaObject).default;
}

/** The required fields; of an update, the first. */
function formExample({ required, properties = {} }: SchemaObject): unknown {
  const names = required ?? Object.keys(properties).slice(0, 1);
  return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name], {})]));
}
