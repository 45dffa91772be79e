import { Module } from '@nestjs/common';
import { HandlerWithdrawals } from '../notification-handlers/delivery-targets';
import { NotificationHandlersModule } from '../notification-handlers/notification-handlers.module';
import { ObservabilityModule } from '../observability/observability.module';
import { OutboundModule } from '../outbound/outbound.module';
import { DeliveriesController } from './deliveries.controller';
import { DeliveriesService } from './deliveries.service';
import { HandlerTestsController } from './handler-tests.controller';
import { HandlerTestsService } from './handler-tests.service';
import { MessagesController } from './messages/messages.controller';
import { MessagesService, Recipients } from './messages/messages.service';
import { OperatorDeliveries } from './operator-deliveries';
import { Leases } from './queue/claim';
import { Claimer } from './queue/claimer';
import { DeliveryQueue } from './queue/delivery-queue';
import { DueLanes } from './queue/due-lanes';
import { LaneTable } from './queue/lane-table';
import { PendingReader } from './queue/pending-reader';
import { Settler } from './queue/settler';
import { Retention } from './retention';
import { AttemptRunner } from './sending/attempt-runner';
import { DeliveryMetrics } from './sending/delivery-metrics';
import { DeliveryWorker } from './sending/delivery-worker';
import { Dispatch } from './sending/dispatch';

@Module({
  imports: [NotificationHandlersModule, ObservabilityModule, OutboundModule],
  controllers: [MessagesController, DeliveriesController, HandlerTestsController],
  providers: [
    ...[MessagesService, Recipients, DeliveriesService, HandlerTestsService, OperatorDeliveries, Retention],
    ...[Claimer, DeliveryQueue, DueLanes, LaneTable, Leases, PendingReader, Settler],
    ...[AttemptRunner, DeliveryMetrics, DeliveryWorker, Dispatch],
  ],
  exports: [DeliveriesService, DeliveryWorker, Retention],
})
export class DeliveriesModule {
  constructor(withdrawals: HandlerWithdrawals, queue: DeliveryQueue) {
    withdrawals.listen((accountId, handlerId) => queue.cancel(accountId, handlerId));
  }
}
