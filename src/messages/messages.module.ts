import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { Delivery } from '../deliveries/delivery.entity';
import { NotificationHandlersModule } from '../notification-handlers/notification-handlers.module';
import { MessageSender } from './message-sender';
import { AcknowledgementController } from './acknowledgements/acknowledgement.controller';
import { Acknowledgements } from './acknowledgements/acknowledgements';
import { PressedKeysController } from './acknowledgements/pressed-keys.controller';
import { Message, MessageKey } from './message.entity';
import { MessagesController } from './messages.controller';
import { MessagesService } from './messages.service';
import { OperatorMessages } from './operator-messages';
import { Retention } from './retention';
import { Steps } from './steps';

/** Global, because any area may send messages but may not import this one. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([Message, MessageKey, Delivery]), DeliveriesModule, NotificationHandlersModule],
  controllers: [MessagesController, AcknowledgementController, PressedKeysController],
  providers: [MessageSender, Acknowledgements, MessagesService, OperatorMessages, Retention, Steps],
  exports: [MessageSender],
})
export class MessagesModule {}
