import 'reflect-metadata';
import { Module, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKey } from './api-key.entity';
import { Domain } from './domain.entity';
import { DomainsController } from './domains.controller';

const entities = [ApiKey, Domain];

@Module({
  imports: [
    TypeOrmModule.forRoot({ type: 'mysql', url: process.env.DATABASE_URL, charset: 'utf8mb4_bin', poolSize: 10, entities }),
    TypeOrmModule.forFeature(entities),
  ],
  controllers: [DomainsController],
})
class AppModule {}

async function bootstrap() {
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
  app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }));
  await app.listen(Number(process.env.PORT), '127.0.0.1');
}
void bootstrap();
