import type { OpenAPIObject, OperationObject, ResponseObject, SchemaObject } from '@nestjs/swagger';
import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import type { Response } from 'supertest';
import type { ScopeName } from '../../../src/auth/route-policies';

export interface Operation extends OperationObject {
  /** In upper case. */
  method: string;
  path: string;
  /** What `security` can't name: scopes are for OAuth 2 and OpenID Connect there, as most tools read it. */
  'x-required-scopes'?: ScopeName[];
}

/** The OpenAPI document that an application serves, and the answers that it promises. */
export class Document {
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));

  constructor(readonly content: OpenAPIObject) {
    this.ajv.addSchema(closed(content), 'document');
  }

  get operations(): Operation[] {
    return Object.entries(this.content.paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, OperationObject>).map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase(),
        path,
      })),
    );
  }

  /** The answer has a status that the operation documents, the headers that go with it, and a body of its schema. */
  expectDocumented({ operationId, responses }: Operation, answer: Response): void {
    const documented = responses[answer.status];
    expect({ operationId, documented: Object.keys(responses) }).toEqual({
      operationId,
      documented: expect.arrayContaining([String(answer.status)]) as string[],
    });
    const { headers, content } = this.resolve<ResponseObject>(documented!);
    for (const name of Object.keys(headers ?? {})) expect(answer.headers).toHaveProperty(name.toLowerCase());
    expect(answer.headers['content-type']).toBe(content && 'application/json; charset=utf-8');
    if (content) this.expectValid(content['application/json'].schema!, answer.body);
    else expect(answer.text).toBe('');
  }

  /** A body is of a schema, and has no field that the schema doesn't show. */
  expectValid(schema: object, body: unknown): void {
    const validate = this.validatorOf(schema);
    validate(body);
    expect(validate.errors ?? []).toEqual([]);
  }

  /** Whether a client that follows the document may send this. */
  validates(schema: object, body: unknown): boolean {
    return this.ajv.validate(withDocument(schema), body);
  }

  /** Compiled once: that takes longer than what it validates. */
  private validatorOf(schema: object): ValidateFunction {
    const text = JSON.stringify(schema);
    const validate = this.validators.get(text) ?? this.ajv.compile(closed(withDocument(schema)));
    this.validators.set(text, validate);
    return validate;
  }

  /** The schemas that these operations refer to, and those that these refer to in turn. */
  schemasOf(operations: readonly Operation[]): SchemaObject[] {
    const found = new Map<string, object>();
    const follow = (node: object) => {
      const references = new Set([...JSON.stringify(node).matchAll(/"\$ref":"([^"]+)"/g)].map(([, $ref]) => $ref));
      for (const $ref of [...references].filter((one) => !found.has(one))) {
        found.set($ref, this.resolve({ $ref }));
        follow(found.get($ref)!);
      }
    };
    follow(operations);
    return [...found].filter(([$ref]) => $ref.startsWith('#/components/schemas/')).map(([, schema]) => schema);
  }

  resolve<T>(object: object): T {
    if (!('$ref' in object)) return object as T;
    const steps = (object.$ref as string).slice('#/'.length).split('/');
    return steps.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], this.content) as T;
  }
}

/** A document lets an answer have further fields, as clients should; a test doesn't. */
function closed<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (_key, node: Record<string, unknown> | null) =>
    node?.properties && !node.additionalProperties ? { ...node, additionalProperties: false } : node,
  ) as T;
}

function withDocument<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => (key === '$ref' ? `document${value as string}` : value)) as T;
}
