import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

export function createOpenApiDocument(app: INestApplication, publicUrl: string): OpenAPIObject {
  const base = new DocumentBuilder()
    .setTitle('frontdesk')
    .setVersion('1')
    .setOpenAPIVersion('3.1.0')
    .addServer(publicUrl)
    .addBearerAuth()
    .build();
  return SwaggerModule.createDocument(app, base);
}
