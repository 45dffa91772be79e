import { Module } from '@nestjs/common';
import { NotificationHandlersModule } from '../notification-handlers/notification-handlers.module';
import { DemoService } from './demo.service';

@Module({
  imports: [NotificationHandlersModule],
  providers: [DemoService],
})
export class DemoModule {}
