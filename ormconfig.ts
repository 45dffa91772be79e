import type { DataSourceOptions } from 'typeorm';
import { Account } from './src/auth/accounts/account.entity';
import { ApiKey } from './src/auth/keys/api-key.entity';
import type { Config } from './src/config/config';
import type { Dialect } from './src/database/dialect';
import { InitialSchema1795219200000 } from './src/database/migrations/1795219200000-initial-schema';
import { Scheduling1795222800000 } from './src/database/migrations/1795222800000-scheduling';
import { MysqlAuditEntry, SqliteAuditEntry } from './src/database/audit/audit-entry.entity';
import { ListChange } from './src/database/lists/list-change.entity';
import { FoldedColumns } from './src/database/records/folded-columns';
import { IdempotencyKey } from './src/database/writes/idempotency-key.entity';
import { AuditAndIdempotency1795230000000 } from './src/database/migrations/1795230000000-audit-and-idempotency';
import { AuditIds1795323600000 } from './src/database/migrations/1795323600000-audit-ids';
import { KeysAndAccounts1795320000000 } from './src/database/migrations/1795320000000-keys-and-accounts';
import { Deletions1795226400000 } from './src/database/migrations/1795226400000-deletions';
import { Deliveries1795420000000 } from './src/database/migrations/1795420000000-deliveries';
import { DomainVerifications1795430000000 } from './src/database/migrations/1795430000000-domain-verifications';
import { ListColumns1795440000000 } from './src/database/migrations/1795440000000-list-columns';
import { LaneSpeeds1795452000000 } from './src/database/migrations/1795452000000-lane-speeds';
import { JobsAndQuotas1795460000000 } from './src/database/migrations/1795460000000-jobs-and-quotas';
import { ListChanges1795461000000 } from './src/database/migrations/1795461000000-list-changes';
import { SigningSecrets1795410000000 } from './src/database/migrations/1795410000000-signing-secrets';
import { MysqlDialect } from './src/database/mysql/mysql.dialect';
import { SqliteDialect } from './src/database/sqlite/sqlite.dialect';
import { Delivery, DeliveryAttempt } from './src/deliveries/delivery.entity';
import { Message } from './src/deliveries/messages/message.entity';
import { DeliveryLane } from './src/deliveries/queue/delivery-lane.entity';
import { Domain } from './src/domains/domain.entity';
import { ChangeSequence, DomainChange } from './src/domains/changes/domain-change.entity';
import { DomainVerification } from './src/domains/verification/domain-verification.entity';
import { VerificationKey } from './src/domains/verification/verification-key.entity';
import { ScheduledJob } from './src/jobs/scheduled-job.entity';
import { NotificationHandler, SigningSecret } from './src/notification-handlers/notification-handler.entity';
import { QuotaCount } from './src/quotas/quota-count.entity';
import { Campaign, Notification } from './src/notifications/notification.entity';
import { Agendamento } from './src/scheduling/entities/agendamento.entity';
import { AtendenteServico } from './src/scheduling/entities/atendente-servico.entity';
import { Atendente } from './src/scheduling/entities/atendente.entity';
import { Horario } from './src/scheduling/entities/horario.entity';
import { Servico } from './src/scheduling/entities/servico.entity';

/** The dialect of the database that DATABASE_URL names. */
export function createDialect({ database, databasePoolSize, workers }: Config): Dialect {
  return database.type === 'sqlite' ? new SqliteDialect(database.file) : new MysqlDialect(database.server, databasePoolSize, workers);
}

/** The one data source: the server, the command line, the migrations and the tests all connect with it. */
export function dataSourceOptions(dialect: Dialect): DataSourceOptions {
  return {
    ...dialect.dataSourceOptions,
    entities: [
      Account,
      ApiKey,
      Domain,
      NotificationHandler,
      SigningSecret,
      Campaign,
      Notification,
      Servico,
      Atendente,
      AtendenteServico,
      Horario,
      Agendamento,
      dialect.dataSourceOptions.type === 'mysql' ? MysqlAuditEntry : SqliteAuditEntry,
      IdempotencyKey,
      ListChange,
      Message,
      Delivery,
      DeliveryAttempt,
      DeliveryLane,
      DomainVerification,
      VerificationKey,
      DomainChange,
      ChangeSequence,
      ScheduledJob,
      QuotaCount,
    ],
    migrations: [
      InitialSchema1795219200000,
      Scheduling1795222800000,
      Deletions1795226400000,
      AuditAndIdempotency1795230000000,
      KeysAndAccounts1795320000000,
      AuditIds1795323600000,
      SigningSecrets1795410000000,
      Deliveries1795420000000,
      DomainVerifications1795430000000,
      ListColumns1795440000000,
      LaneSpeeds1795452000000,
      JobsAndQuotas1795460000000,
      ListChanges1795461000000, // the newest
    ],
    synchronize: false,
    subscribers: [FoldedColumns],
    logging: false,
  };
}
