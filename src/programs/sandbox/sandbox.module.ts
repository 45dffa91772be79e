import { type INestApplication, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { DECORATORS, DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { version } from '../../../package.json';
import { AuthModule } from '../../auth/auth.module';
import { isLoopback } from '../../platform/common/hosts';
import { RequestError } from '../../platform/common/errors';
import { mediaType } from '../../platform/http/input/request-body';
import { SandboxAccounts } from './sandbox-accounts';
import { Sandbox } from './sandbox';
import { SandboxController } from './sandbox.controller';

@Module({
  imports: [AuthModule],
  controllers: [SandboxController],
  providers: [Sandbox, SandboxAccounts],
})
export class SandboxModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(refuseWebPages).forRoutes('sandbox', 'sandbox/*path');
  }
}

/** Refuses requests from web pages, which could reach these routes without a key: by DNS rebinding, across origins, or with a form. */
function refuseWebPages(request: Request, _response: Response, next: NextFunction): void {
  const { host = '', origin, 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const name = host.replace(/:\d*$/, '').replace(/^\[|\]$/g, '');
  if (name !== 'localhost' && !isLoopback(name)) throw invalidHeader('Host', 'must be localhost or a loopback address.');
  if (origin !== undefined) throw invalidHeader('Origin', 'is refused: web pages have no access.');
  const hasBody = encoding !== undefined || Number(length ?? 0) > 0;
  if (hasBody && mediaType(request) !== 'application/json')
    throw RequestError.inHeader('unsupported_media_type', 'A body must be application/json, in UTF-8.', 'Content-Type');
  next();
}

function invalidHeader(name: string, detail: string): RequestError {
  return RequestError.inHeader('malformed_request', `The header ${name} ${detail}`, name);
}

/** Documents the routes below `/sandbox`. Separate from the service's document, since production has none of them. */
export function describeRoutes(app: INestApplication): OpenAPIObject {
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('frontdesk sandbox')
    .setVersion(version)
    .setDescription('The routes that control `frontdesk sandbox` in tests. They need no key.');
  exclude(false);
  const document = SwaggerModule.createDocument(app, base.build(), { include: [SandboxModule] });
  exclude(true);
  return document;
}

/** Does or undoes `@ApiExcludeController`, which applies to every document. */
function exclude(isExcluded: boolean): void {
  Reflect.defineMetadata(DECORATORS.API_EXCLUDE_CONTROLLER, [isExcluded], SandboxController);
}
