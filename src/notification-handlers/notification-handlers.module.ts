import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { DeliveryTargets } from './delivery-targets';
import { EnabledHandlers } from './enabled-handlers';
import { NotificationHandler, SigningSecret } from './notification-handler.entity';
import { NotificationHandlersController } from './notification-handlers.controller';
import { NotificationHandlersService } from './notification-handlers.service';
import { KeyRotation } from '../platform/secrets/key-rotation';
import { SecretsModule } from '../platform/secrets/secrets.module';
import { SigningSecretsService } from './signing-secrets.service';

@Module({
  imports: [TypeOrmModule.forFeature([NotificationHandler, SigningSecret]), AuthModule, SecretsModule],
  controllers: [NotificationHandlersController],
  providers: [DeliveryTargets, EnabledHandlers, NotificationHandlersService, SigningSecretsService],
  exports: [DeliveryTargets, EnabledHandlers, NotificationHandlersService],
})
export class NotificationHandlersModule {
  constructor(rotation: KeyRotation) {
    const settings = { table: 'notification_handlers', name: 'settings', contents: 'Notification handler settings' };
    rotation.add({ ...settings, audited: { record: 'notification handler', id: 'id' } });
    const secrets = { table: 'signing_secrets', name: 'secret', contents: 'Signing secrets' };
    rotation.add({ ...secrets, audited: { record: 'signing secret', id: 'handler_id' } });
  }
}
