import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import type { Config } from '../../config/config';
import { methodNotAllowed } from '../errors/allowed-methods';
import { createOpenApiDocument } from './openapi';
import { RequestError } from '../errors/request-error';

/** The page and the files it loads, under `/docs`; swagger-ui's other files are not served. */
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

/** Serves `/openapi.json`, built on first use, and `/docs`, where the API can be tried out. */
export function serveDocs(app: NestExpressApplication, config: Config): void {
  const pagePath = new URL(config.publicUrl).pathname; // a path, so that the page calls the origin it was opened at
  app.use('/docs', guardPage);
  SwaggerModule.setup('docs', app, () => createOpenApiDocument(app, config.publicUrl), {
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
