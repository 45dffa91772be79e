import type { NestExpressApplication } from '@nestjs/platform-express';
import { ApiProperty, DECORATORS, DocumentBuilder, type OpenAPIObject, type ParameterObject, SwaggerModule } from '@nestjs/swagger';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import type { NextFunction, Request, Response } from 'express';
import type { INestApplication, Type } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { version } from '../../../../package.json';
import type { Config } from '../../config/config';
import { RequestError } from '../../common/errors';
import { FORM_LIMITS, FORM_TYPES } from '../input/request-body';
import { methodNotAllowed } from '../server/http-server';
import { addErrors, ERROR_COMPONENTS, ERROR_TABLE } from './error-responses';
import { addUnions, describeForm, moveExamples, type Schemas } from './schemas';
import { describeOperations, operationId } from './operations';

/** Paths of the page and the files it loads, below `/docs`; swagger-ui's other files are not served. */
const PAGE_PATHS = new Set([
  '/',
  '/swagger-ui.css',
  '/swagger-ui-bundle.js',
  '/swagger-ui-standalone-preset.js',
  '/swagger-ui-init.js',
  '/favicon-16x16.png',
  '/favicon-32x32.png',
]);

/** The page has inline styles and `data:` images; everything else comes from this origin. */
const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Adds to the document what is known only at run time. */
type DescribeDocument = (document: OpenAPIObject, schemas: Schemas) => void;

/** Serves `/openapi.json`, built on first use, and `/docs`, where the API can be tried out. */
export function serveDocs(app: NestExpressApplication, config: Config, describe: DescribeDocument): void {
  const pagePath = new URL(config.publicUrl).pathname; // a path, so that the page calls the origin it was opened at
  app.use('/docs', guardPage);
  SwaggerModule.setup('docs', app, () => createOpenApiDocument(app, config.publicUrl, describe), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'frontdesk',
    patchDocumentOnRequest: (request: unknown, _response, document) =>
      (request as Request).path.endsWith('.js') ? { ...document, servers: [{ url: pagePath }] } : document,
    swaggerOptions: { persistAuthorization: false, displayRequestDuration: true, validatorUrl: null },
  });
}

function guardPage(request: Request, response: Response, next: NextFunction): void {
  if (!PAGE_PATHS.has(request.path)) throw RequestError.of('not_found', 'There is nothing at this path.');
  if (!['GET', 'HEAD'].includes(request.method)) throw methodNotAllowed(['GET', 'HEAD']);
  response.set(PAGE_HEADERS);
  next();
}

const KEY_DESCRIPTION =
  'An API key: `fd_` and 38 letters and digits. Each operation names the scopes that the key needs in `x-required-scopes`.';

// Collapsed, so that the docs page starts with the operations. Markdown needs the empty lines within HTML.
const DESCRIPTION = `Custom domains, notification handlers, messages and notifications of an account, and its scheduling records.

<details><summary>Conventions</summary>

- A trailing slash is optional, and HEAD works wherever GET does. Other methods get a 405 with \`Allow\`.
- A form is sent as ${FORM_TYPES.join(', ')}; a JSON body is a flat object. A form has at most ${FORM_LIMITS.fields} fields,
  ${FORM_LIMITS.valueBytes} bytes per value, unless an operation allows more, and ${FORM_LIMITS.bodyBytes} bytes in total. Whitespace around a value is trimmed, as are
  the invisible characters that come along with copied text.
- The request line and headers have at most 16 KiB.
- Unknown and repeated parameters and fields are rejected; only a field that takes a list may be repeated.
- Where the operator limits requests, every authenticated response has \`RateLimit-Policy\` and \`RateLimit\`.
- Times are in UTC, \`YYYY-MM-DD HH:MM:SS\`.

</details>

<details><summary>Errors</summary>

An error response lists every problem with the request.

${ERROR_TABLE}

</details>`;

const TAGS = {
  'Custom domains': 'The host names under which an account serves its pages.',
  'Notification handlers': 'The channels through which messages are delivered: email, webhooks, chat and phone.',
  Messages: "Messages sent through an account's handlers, and their deliveries.",
  Notifications: "The notifications of an account's campaigns; read-only.",
  Scheduling: 'Appointments, attendants, services and time slots; read-only, through one endpoint.',
  Events: 'Changes to records, in order: to keep copies in sync, and to notify people.',
  'API keys': 'The keys of an account.',
  Health: 'Liveness and readiness; no key required.',
};

/** Optional on every request. No example on the parameter itself: the docs page would send it. */
const REQUEST_ID: ParameterObject = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description: 'Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$', examples: ['order-4711'] },
};

/** Builds the OpenAPI document from the routes' decorators, and adds the parts common to all routes. */
function createOpenApiDocument(app: INestApplication, publicUrl: string, describe: DescribeDocument): OpenAPIObject {
  documentOptional(app);
  const document = SwaggerModule.createDocument(app, documentBase(publicUrl), {
    operationIdFactory: operationId,
    ignoreGlobalPrefix: true, // part of PUBLIC_URL, the server's URL
  });
  const schemas: Schemas = { ...document.components?.schemas, ...ERROR_COMPONENTS.schemas };
  document.components = { ...document.components, ...ERROR_COMPONENTS, parameters: { RequestId: REQUEST_ID }, schemas };

  describe(document, schemas);
  addUnions(schemas);
  const routes = describeOperations(document);
  for (const route of routes) {
    describeForm(route.operation, schemas);
    addErrors(route);
    moveExamples(route.operation);
  }
  // The tags of extensions' controllers, which @nestjs/swagger names after the controller.
  const extensionTags = new Set(routes.flatMap(({ operation }) => operation.tags ?? []).filter((name) => !(name in TAGS)));
  for (const name of extensionTags) document.tags!.push({ name, description: `The routes of ${name}.` });
  return document;
}

/** Marks `@IsOptional()` properties as optional in the DTOs of all routes, as @nestjs/swagger does only with its compiler plugin. */
function documentOptional(app: INestApplication): void {
  const rules = parameterTypes(app).flatMap((dto) => getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false));
  for (const { type, target, propertyName } of rules) {
    if (type !== ValidationTypes.CONDITIONAL_VALIDATION || typeof target === 'string') continue;
    const prototype = target.prototype as object;
    const isDocumented = Reflect.hasMetadata(DECORATORS.API_MODEL_PROPERTIES, prototype, propertyName);
    if (isDocumented) ApiProperty({ required: false })(prototype, propertyName);
  }
}

/** The types of the parameters of every controller's methods, as TypeScript emits them. */
function parameterTypes(app: INestApplication): Type[] {
  const scanner = app.get(MetadataScanner);
  const prototypes = app
    .get(DiscoveryService)
    .getControllers()
    .map(({ metatype }) => (metatype as Type).prototype as object);
  const types = prototypes.flatMap((prototype) =>
    scanner.getAllMethodNames(prototype).flatMap((name) => Reflect.getMetadata('design:paramtypes', prototype, name) as unknown),
  );
  return types.filter((type): type is Type => typeof type === 'function');
}

function documentBase(publicUrl: string): Omit<OpenAPIObject, 'paths'> {
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('frontdesk')
    .setVersion(version)
    .setDescription(DESCRIPTION)
    .addServer(publicUrl)
    .addBearerAuth({ type: 'http', bearerFormat: 'fd_…', description: KEY_DESCRIPTION }, 'key')
    .build();
  const license = { name: 'MIT', identifier: 'MIT' };
  const tags = Object.entries(TAGS).map(([name, description]) => ({ name, description }));
  return { ...base, tags, info: { ...base.info, license, contact: { name: 'The operator of this service' } } };
}
