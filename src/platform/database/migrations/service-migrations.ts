import type { MigrationInterface } from 'typeorm';
import type { Type } from '@nestjs/common';
import * as bookkeeping from './bookkeeping';
import * as deliveries from './deliveries';
import * as domains from './domains';
import * as events from './events';
import * as initialSchema from './initial-schema';
import * as lists from './lists';
import * as scheduling from './scheduling';

type Subject = Record<string, Type<MigrationInterface>>;

const SUBJECTS: Subject[] = [initialSchema, scheduling, bookkeeping, lists, deliveries, domains, events];

/** The service's own migrations, oldest first. A released migration is never edited. */
export const SERVICE_MIGRATIONS: readonly Type<MigrationInterface>[] = SUBJECTS.flatMap((subject) => Object.values(subject)).sort(
  (one, other) => numberOf(one) - numberOf(other),
);

function numberOf({ name }: Type<MigrationInterface>): number {
  return Number(name.slice(-13));
}
