/** @mysql never */
import type { OpenAPIObject, RequestBodyObject, ResponseObject, SchemaObject } from '@nestjs/swagger';
import { useApplication } from '../../support/http/application';
import { Document } from '../../support/http/openapi';
import { ExtensionModule } from '../../support/extensions/openapi-extension';

const { application } = useApplication({}, ExtensionModule);
let document: Document;

beforeAll(async () => {
  const response = await application().client().get('/openapi.json').expect(200);
  document = new Document(response.body as OpenAPIObject);
});

const operation = (method: string, path: string) => document.operations.find((one) => one.method === method && one.path === path)!;
const statuses = (method: string, path: string) => Object.keys(operation(method, path).responses);

test('the default operationId is made of class and method', () => {
  expect(operation('GET', '/widgets')).toMatchObject({ operationId: 'Widgets_findAll', tags: ['Widgets'] });
  expect(operation('PUT', '/widgets/{id}').operationId).toBe('Widgets_replace');
  expect(operation('POST', '/files/mixed').operationId).toBe('mixFiles');
});

test('a second path of a controller is an alias, an inherited handler is not', () => {
  expect(operation('GET', '/bolts').operationId).toBe('Bolts_findAll');
  expect(operation('GET', '/nuts').operationId).toBe('Nuts_findAll');
  expect(operation('GET', '/nuts').description).not.toContain('Alias of');
  expect(operation('GET', '/old-nuts').operationId).toBe('Nuts_findAll_alias1');
  expect(operation('GET', '/old-nuts').description).toContain('Alias of `/nuts`.');
});

test('security follows the decorator closest to the handler', () => {
  const scopes = (method: string, path: string) => {
    const { security, 'x-required-scopes': required } = operation(method, path) as ReturnType<typeof operation> & Record<string, unknown>;
    return security!.length > 0 ? required : 'none needed';
  };
  expect(scopes('GET', '/widgets')).toEqual(['domains:read']);
  expect(scopes('PATCH', '/widgets/{id}')).toEqual(['domains:write']);
  expect(scopes('GET', '/widgets/open')).toBe('none needed');
  expect(scopes('GET', '/bolts')).toBe('none needed');
  expect(scopes('DELETE', '/bolts/{id}')).toEqual(['domains:write']);
  expect(scopes('GET', '/old-nuts')).toEqual(['domains:read']);
});

test('PUT and PATCH document the errors of their path, body and scope', () => {
  for (const method of ['PUT', 'PATCH']) {
    expect(statuses(method, '/widgets/{id}')).toEqual(['200', '400', '401', '403', '404', '413', '415', '429', '500', '503']);
  }
  expect(statuses('GET', '/widgets/{slug}/parts')).toContain('404');
  expect(statuses('GET', '/widgets/open')).toEqual(['200', '400', '413', '500', '503']);
});

test('a declared error response keeps its description and has the common body', () => {
  const { description, content } = operation('DELETE', '/bolts/{id}').responses[404] as ResponseObject;
  expect(description).toBe('There is no such bolt.');
  expect(content).toEqual({ 'application/json': { schema: { $ref: '#/components/schemas/Errors' } } });
});

test('a DTO is documented as declared, and @IsOptional() makes a field optional', () => {
  const { required, properties } = document.content.components!.schemas!.Widget as SchemaObject;
  expect(required).toEqual(['name', 'weight', 'makers', 'parts']);
  expect(properties).toEqual({
    name: { type: 'string', example: 'Bolt' },
    weight: { type: 'integer', minimum: 1 },
    is_round: { type: 'boolean', default: true },
    makers: { type: 'array', items: { $ref: '#/components/schemas/Maker' } },
    parts: { type: 'array', items: { $ref: '#/components/schemas/Widget' } },
    whole: { $ref: '#/components/schemas/Widget' },
  });
  expect(operation('PUT', '/widgets/{id}').requestBody).toEqual({
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Widget' } } },
  });
});

test('files and other media types are documented as declared', () => {
  const contentOf = (path: string) => (operation('GET', path).responses[200] as ResponseObject).content;
  const binary = { schema: { type: 'string', format: 'binary' } };
  expect(contentOf('/files/report')).toEqual({ 'text/csv': { schema: { type: 'string' } } });
  expect(contentOf('/files/picture')).toEqual({ 'image/png': binary, 'image/webp': binary });
  const { content } = operation('POST', '/files').requestBody as RequestBodyObject;
  expect(content).toEqual({
    'multipart/form-data': { schema: { type: 'object', required: ['file'], properties: { file: binary.schema } } },
  });
});

test('every tag is described', () => {
  const described = document.content.tags!.filter(({ description }) => description).map(({ name }) => name);
  expect(described).toEqual(expect.arrayContaining(document.operations.flatMap(({ tags }) => tags!)));
});
