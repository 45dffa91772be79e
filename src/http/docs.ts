import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import type { Config } from '../config';
import { createOpenApiDocument } from './openapi';

/** `/openapi.json`, and `/docs`, a page on which to try the interface. The document is made when it is first asked for. */
export function serveDocs(app: NestExpressApplication, config: Config): void {
  SwaggerModule.setup('docs', app, () => createOpenApiDocument(app, config.publicUrl), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'frontdesk',
    swaggerOptions: { persistAuthorization: false, displayRequestDuration: true },
  });
}
