import { Module } from '@nestjs/common';
import { AuditLog } from './audit-log';

/** Apart from the feed, so that commands can do without it. */
@Module({ providers: [AuditLog], exports: [AuditLog] })
export class AuditModule {}
