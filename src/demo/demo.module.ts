import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { NotificationHandlersModule } from '../notification-handlers/notification-handlers.module';
import { DemoService } from './demo.service';

@Module({
  imports: [AuthModule, NotificationHandlersModule],
  providers: [DemoService],
})
export class DemoModule {}
