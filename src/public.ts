// Exports for extensions, as 'frontdesk'. docs/extending.md lists them and what SemVer covers; no other path is public.
export { AccountOwned, AccountRecord } from './auth/accounts/account.entity';
export { AccountCacheInterceptor } from './auth/account-cache.interceptor';
export { AccountId, HasScope, WriteContextOf } from './auth/caller';
export { Public, Scope, type ScopeName } from './auth/route-policies';
export { createApplication } from './bootstrap/application';
export { findAccountId, JSON_OPTION, type JsonOption, printJson, printList, printNotice, withServices } from './commands/action';
export { Clock } from './common/clock';
export { type FieldType, FLAG, HTTP_URL, oneOf, orEmpty, POSITIVE_INTEGER, RECORD_ID, text, TIME, YES_OR_NO } from './common/field-types';
export { fold } from './common/fold-text';
export { NOW, type Page, type PageRequest, type RecordColumn, type RecordColumns, type Versioned } from './common/records';
export { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, timestamp } from './common/time';
export { operatorContext, StaleVersion, type WriteContext } from './common/write-context';
export { Config, ConfigError } from './config/config';
export { audit, type AuditEvent } from './database/events/audit';
export type { DescribedEvent, EventText } from './database/events/event-types';
export { Dialect, type SqlExecutor, type SqlReader } from './database/dialect';
export { countChanges } from './database/lists/list-changes';
export {
  flag,
  generatedId,
  index,
  integer,
  nullable,
  reference,
  text as textColumn,
  time,
  unique,
  varchar,
} from './database/migrations/columns';
export { MYSQL_TABLE } from './database/mysql/mysql.dialect';
export type { ListRequest } from './database/records/page-reader';
export { RecordNotFound, Records, type Row } from './database/records/records';
export type { RecordTable, TableOptions } from './database/records/record-table';
export { schemaDrift } from './database/migrations';
export { type Transaction, UniqueViolation, WriteExecutor } from './database/writes/transactions';
export { AccountMessages, type SendResult } from './deliveries/messages/account-messages';
export { defineExtension, type Extension, type ExtensionTests } from './extensions/extension';
export { NeedsNoIdempotencyKey, RefusesIdempotencyKey } from './http/input/idempotency-key';
export { Field, NoFields, OptionalField, RecordId } from './http/input/fields';
export { AcceptsFiles } from './http/input/uploads';
export { CreationTime, NullableTimeField, RecordField, TimeField, UpdateTime } from './http/record-fields';
export {
  ActionRoute,
  BulkActionRoute,
  CreateRoute,
  DeleteRoute,
  ListRoute,
  ReadPartRoute,
  ReadRoute,
  Refuses,
  UpdateRoute,
} from './http/routes';
export { contains, ENABLED, equals, type ListQuery, type ListFilter, listQuery, PageQuery, refersTo, times } from './http/pagination';
export { asCreated, asData, asId, asRecord, type Data } from './http/responses';
export { RequestError } from './http/request-error';
export { Job, type JobOptions } from './jobs/job.decorator';
export { OperatorError } from './auth/accounts/accounts.service';
export type { Collection } from './scheduling/collections/collection';
