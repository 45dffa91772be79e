import { Account } from './auth/accounts/account.entity';
import { ApiKey } from './auth/accounts/api-key.entity';
import { AuthModule } from './auth/auth.module';
import { EventEpoch, EventLogState } from './platform/database/events/event.entity';
import { ListChange } from './platform/database/lists/list-changes';
import { SERVICE_MIGRATIONS } from './platform/database/migrations/service-migrations';
import { IdempotencyKey } from './platform/database/writes/idempotency';
import { DeliveriesModule } from './deliveries/deliveries.module';
import { Delivery, DeliveryAttempt } from './deliveries/delivery.entity';
import { Installation } from './deliveries/installations';
import { Message, MessageKey } from './deliveries/messages/message.entity';
import { DeliveryLane } from './deliveries/queue/lane';
import { SidOfDelivery } from './deliveries/receipts/receipts';
import { DeliveryStatistic } from './deliveries/statistics/delivery-statistic.entity';
import { DemoModule } from './programs/demo/demo.module';
import { Domain } from './domains/domain.entity';
import { DomainsModule } from './domains/domains.module';
import { DomainVerification, VerificationKey } from './domains/verification/domain-verification.entity';
import { EventsModule } from './events/events.module';
import { EventCursor, HandlerEvents } from './events/subscription.entity';
import { AppliedExtension } from './platform/extensions/applied-extensions';
import type { Extension } from './platform/extensions/extension';
import { JobsModule } from './platform/jobs/jobs.module';
import { ScheduledJob } from './platform/jobs/schedule';
import { NotificationHandler, SigningSecret } from './notification-handlers/notification-handler.entity';
import { NotificationHandlersModule } from './notification-handlers/notification-handlers.module';
import { CAMPAIGN_COLUMNS, NOTIFICATION_COLUMNS } from './notifications/notification.dto';
import { Campaign, Notification } from './notifications/notification.entity';
import { NotificationsModule } from './notifications/notifications.module';
import { ObservabilityModule } from './platform/observability/observability.module';
import { QuotaCount } from './platform/quotas/quotas';
import { QuotasModule } from './platform/quotas/quotas.module';
import { COLLECTIONS } from './scheduling/collections/collections';
import { Agendamento, Atendente, AtendenteServico, Horario, Servico } from './scheduling/collections/entities';

/** The service's own areas, each registered here as an extension. */
export const AREAS: readonly Extension[] = [
  { name: 'database', entities: [EventEpoch, EventLogState, IdempotencyKey, ListChange, AppliedExtension], migrations: SERVICE_MIGRATIONS },
  { name: 'auth', modules: [AuthModule], entities: [Account, ApiKey] },
  { name: 'jobs', modules: [JobsModule], entities: [ScheduledJob] },
  { name: 'quotas', modules: [QuotasModule], entities: [QuotaCount] },
  {
    name: 'domains',
    modules: [DomainsModule],
    entities: [Domain, DomainVerification, VerificationKey],
  },
  { name: 'notification-handlers', modules: [NotificationHandlersModule], entities: [NotificationHandler, SigningSecret] },
  {
    name: 'notifications',
    modules: [NotificationsModule],
    entities: [Campaign, Notification],
    importable: [CAMPAIGN_COLUMNS, NOTIFICATION_COLUMNS],
  },
  {
    name: 'deliveries',
    modules: [DeliveriesModule],
    entities: [Message, MessageKey, Installation, Delivery, DeliveryAttempt, DeliveryLane, SidOfDelivery, DeliveryStatistic],
  },
  // No module: app.module.ts creates one for all collections, including those of extensions.
  { name: 'scheduling', entities: [Servico, Atendente, AtendenteServico, Horario, Agendamento], collections: COLLECTIONS },
  { name: 'events', modules: [EventsModule], entities: [EventCursor, HandlerEvents] },
  { name: 'observability', modules: [ObservabilityModule] },
  { name: 'demo', modules: [DemoModule] },
];
