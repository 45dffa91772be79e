import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { HandlerCancellations } from '../notification-handlers/handler-hooks';
import { NotificationHandlersModule } from '../notification-handlers/notification-handlers.module';
import { ObservabilityModule } from '../platform/observability/observability.module';
import { Outbound } from '../platform/outbound/outbound';
import { SecretsModule } from '../platform/secrets/secrets.module';
import { DeliveriesController } from './deliveries.controller';
import { DeliveriesService } from './deliveries.service';
import { DeliveryEventLogger } from './queue/delivery-events';
import { DeliveryLimits } from './queue/delivery-limits';
import { DeliveryMetrics } from './delivery-metrics';
import { DeliveryRetries } from './delivery-retries';
import { Delivery, DeliveryAttempt } from './delivery.entity';
import { HandlerTestsController } from './sending/handler-tests.controller';
import { HandlerTestsService } from './sending/handler-tests.service';
import { Installation, Installations } from './installations';
import { OperatorDeliveries } from './operator-deliveries';
import { Cancellation } from './queue/cancellation';
import { Claimer } from './queue/claimer';
import { DeliveryListeners } from './queue/delivery-listeners';
import { DeliveryQueue } from './queue/delivery-queue';
import { Enqueuer } from './queue/enqueuer';
import { DeliveryLane, LaneTable } from './queue/lane';
import { Settler } from './queue/settler';
import { PendingCancellations } from './queue/pending-cancellations';
import { Receipts, DeliverySid } from './receipts/receipts';
import { TwilioCallbacks } from './receipts/twilio-callbacks';
import { TwilioCallbacksController } from './receipts/twilio-callbacks.controller';
import { RestoredBackup } from './restored-backup';
import { AcknowledgementLinks } from './sending/acknowledgement-links';
import { AttemptRunner } from './sending/attempt-runner';
import { DeliveryWorker } from './sending/delivery-worker';
import { StatisticsService } from './statistics.service';

/** Global, because other areas inject its exports but may not import it. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forFeature([Installation, Delivery, DeliveryAttempt, DeliveryLane, DeliverySid]),
    NotificationHandlersModule,
    ObservabilityModule,
    SecretsModule,
  ],
  controllers: [DeliveriesController, HandlerTestsController, TwilioCallbacksController],
  providers: [
    DeliveriesService,
    DeliveryEventLogger,
    DeliveryLimits,
    DeliveryMetrics,
    DeliveryRetries,
    HandlerTestsService,
    Installations,
    OperatorDeliveries,
    RestoredBackup,
    StatisticsService,
    Cancellation,
    Claimer,
    DeliveryListeners,
    DeliveryQueue,
    Enqueuer,
    LaneTable,
    Settler,
    { provide: HandlerCancellations, useClass: PendingCancellations },
    Receipts,
    TwilioCallbacks,
    AcknowledgementLinks,
    AttemptRunner,
    DeliveryWorker,
    Outbound,
  ],
  exports: [
    AcknowledgementLinks,
    Cancellation,
    DeliveryLimits,
    DeliveryListeners,
    DeliveryMetrics,
    Enqueuer,
    LaneTable,
    TwilioCallbacks,
    HandlerCancellations,
  ],
})
export class DeliveriesModule {}
