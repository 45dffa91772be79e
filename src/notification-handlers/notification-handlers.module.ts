import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { DeliveryTargets } from './delivery-targets';
import { NotificationHandler, SigningSecret } from './notification-handler.entity';
import { NotificationHandlersController } from './notification-handlers.controller';
import { NotificationHandlersService } from './notification-handlers.service';
import { SecretsModule } from '../platform/secrets/secrets.module';
import { SigningSecretsService } from './signing-secrets.service';

@Module({
  imports: [TypeOrmModule.forFeature([NotificationHandler, SigningSecret]), AuthModule, SecretsModule],
  controllers: [NotificationHandlersController],
  providers: [DeliveryTargets, NotificationHandlersService, SigningSecretsService],
  exports: [DeliveryTargets, NotificationHandlersService],
})
export class NotificationHandlersModule {}
