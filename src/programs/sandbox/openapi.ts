import type { INestApplication } from '@nestjs/common';
import { DECORATORS, DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { version } from '../../../package.json';
import { documentValidation } from '../../platform/http/openapi/validation-schemas';
import { SandboxController } from './sandbox.controller';
import { SandboxModule } from './sandbox.module';

/** Documents the routes below `/sandbox`. Separate from the service's document, since production has none of them. */
export function describeRoutes(app: INestApplication): OpenAPIObject {
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('frontdesk sandbox')
    .setVersion(version)
    .setDescription('The routes that control `frontdesk sandbox` in tests. They need no key.');
  documentValidation();
  exclude(false);
  const document = SwaggerModule.createDocument(app, base.build(), { include: [SandboxModule] });
  exclude(true);
  return document;
}

/** `@ApiExcludeController`, which can't be taken back, for every document. */
function exclude(isExcluded: boolean): void {
  Reflect.defineMetadata(DECORATORS.API_EXCLUDE_CONTROLLER, [isExcluded], SandboxController);
}
