import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { ObservabilityModule } from '../platform/observability/observability.module';
import { EventScopeChecks } from '../notification-handlers/handler-hooks';
import { NotificationHandlersModule } from '../notification-handlers/notification-handlers.module';
import { AuditModule } from './audit.module';
import { Dispatcher } from './subscriptions/dispatcher';
import { EventMessages } from './subscriptions/event-messages';
import { EventMetrics } from './event-metrics';
import { EventPresenter } from './event-presenter';
import { EventSchemas } from './event-schemas';
import { EventSources } from './event-sources';
import { EventWaits } from './event-waits';
import { EventsController, HandlerEventsController } from './events.controller';
import { FeedService } from './feed.service';
import { OperatorEvents } from './operator-events';
import { HandlerReplay } from './replays/replay.entity';
import { Replayer } from './replays/replayer';
import { ReplaysController } from './replays/replays.controller';
import { ReplaysService } from './replays/replays.service';
import { EventCursor, HandlerEvents } from './subscriptions/subscription.entity';
import { Subscriptions } from './subscriptions/subscriptions';

/** Global, because notification handlers inject its exports without importing it, which would be a cycle. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forFeature([EventCursor, HandlerEvents, HandlerReplay]),
    AuditModule,
    AuthModule,
    NotificationHandlersModule,
    ObservabilityModule,
  ],
  controllers: [EventsController, HandlerEventsController, ReplaysController],
  providers: [
    EventMetrics,
    EventPresenter,
    EventSchemas,
    EventSources,
    EventWaits,
    FeedService,
    OperatorEvents,
    Dispatcher,
    EventMessages,
    Replayer,
    ReplaysService,
    Subscriptions,
    { provide: EventScopeChecks, useExisting: Subscriptions },
  ],
  exports: [EventScopeChecks],
})
export class EventsModule {}
