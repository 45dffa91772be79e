import type { MigrationInterface } from 'typeorm';
import type { Type } from '@nestjs/common';
import { InitialSchema1795219200000 } from './1795219200000-initial-schema';
import { Scheduling1795222800000 } from './1795222800000-scheduling';
import { Deletions1795226400000 } from './1795226400000-deletions';
import { AuditAndIdempotency1795230000000 } from './1795230000000-audit-and-idempotency';
import { KeysAndAccounts1795320000000 } from './1795320000000-keys-and-accounts';
import { AuditIds1795323600000 } from './1795323600000-audit-ids';
import { SigningSecrets1795410000000 } from './1795410000000-signing-secrets';
import { Deliveries1795420000000 } from './1795420000000-deliveries';
import { DomainVerifications1795430000000 } from './1795430000000-domain-verifications';
import { ListColumns1795440000000 } from './1795440000000-list-columns';
import { LaneSpeeds1795452000000 } from './1795452000000-lane-speeds';
import { JobsAndQuotas1795460000000 } from './1795460000000-jobs-and-quotas';
import { ListChanges1795461000000 } from './1795461000000-list-changes';
import { Operations1795470000000 } from './1795470000000-operations';
import { Extensions1795480000000 } from './1795480000000-extensions';
import { Events1795490000000 } from './1795490000000-events';
import { MessageTimes1795500000000 } from './1795500000000-message-times';
import { Receipts1795510000000 } from './1795510000000-receipts';
import { LostProofs1795520000000 } from './1795520000000-lost-proofs';
import { DeliveryStatistics1795530000000 } from './1795530000000-delivery-statistics';

/** The service's own, oldest first. A released one is never edited. */
export const SERVICE_MIGRATIONS: readonly Type<MigrationInterface>[] = [
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
  ListChanges1795461000000,
  Operations1795470000000,
  Extensions1795480000000,
  Events1795490000000,
  MessageTimes1795500000000,
  Receipts1795510000000,
  LostProofs1795520000000,
  DeliveryStatistics1795530000000, // the newest
];
