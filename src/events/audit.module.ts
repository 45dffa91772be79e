import { Module } from '@nestjs/common';
import { AuditLog } from './audit-log';

/** The audit log without the feed, for commands. */
@Module({ providers: [AuditLog], exports: [AuditLog] })
export class AuditModule {}
