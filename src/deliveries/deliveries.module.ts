import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { HandlerWithdrawals } from '../notification-handlers/handler-hooks';
import { NotificationHandlersModule } from '../notification-handlers/notification-handlers.module';
import { ObservabilityModule } from '../platform/observability/observability.module';
import { Outbound } from '../platform/outbound/outbound';
import { SecretsModule } from '../platform/secrets/secrets.module';
import { DeliveriesController } from './deliveries.controller';
import { DeliveriesService } from './deliveries.service';
import { Delivery, DeliveryAttempt } from './delivery.entity';
import { HandlerTestsController } from './handler-tests.controller';
import { HandlerTestsService } from './handler-tests.service';
import { Installation, Installations } from './installations';
import { AccountMessages } from './messages/account-messages';
import { Message, MessageKey } from './messages/message.entity';
import { MessagesController } from './messages/messages.controller';
import { MessagesService } from './messages/messages.service';
import { OperatorDeliveries } from './operator-deliveries';
import { Claimer } from './queue/claimer';
import { DeliveryQueue } from './queue/delivery-queue';
import { DeliveryLane, LaneTable } from './queue/lane';
import { Settler } from './queue/settler';
import { Withdrawals } from './queue/withdrawals';
import { Receipts, SidOfDelivery } from './receipts/receipts';
import { TwilioCallbacks } from './receipts/twilio-callbacks';
import { TwilioCallbacksController } from './receipts/twilio-callbacks.controller';
import { Retention } from './retention';
import { StatisticsService } from './statistics.service';
import { AcknowledgementController } from './steps/acknowledgement.controller';
import { AcknowledgementLinks } from './steps/acknowledgement-links';
import { Acknowledgements } from './steps/acknowledgements';
import { Steps } from './steps/steps';
import { AttemptRunner } from './sending/attempt-runner';
import { DeliveryMetrics } from './sending/delivery-metrics';
import { DeliveryWorker } from './sending/delivery-worker';

/** Global: areas inject what it exports, and can't import it. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forFeature([Message, MessageKey, Installation, Delivery, DeliveryAttempt, DeliveryLane, SidOfDelivery]),
    NotificationHandlersModule,
    ObservabilityModule,
    SecretsModule,
  ],
  controllers: [AcknowledgementController, MessagesController, DeliveriesController, HandlerTestsController, TwilioCallbacksController],
  providers: [
    ...[AccountMessages, MessagesService, DeliveriesService, HandlerTestsService, Installations, OperatorDeliveries],
    ...[Retention, StatisticsService],
    ...[Claimer, DeliveryQueue, LaneTable, Settler],
    { provide: HandlerWithdrawals, useClass: Withdrawals },
    ...[Receipts, TwilioCallbacks],
    ...[AcknowledgementLinks, Acknowledgements, Steps],
    ...[AttemptRunner, DeliveryMetrics, DeliveryWorker, Outbound],
  ],
  exports: [AccountMessages, HandlerWithdrawals],
})
export class DeliveriesModule {}
