import type { Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import { InitialSchema1795200050600 } from './initial-schema';

/** The service's own migrations, oldest first. A released migration is never edited. */
export const SERVICE_MIGRATIONS: readonly Type<MigrationInterface>[] = [InitialSchema1795200050600];
