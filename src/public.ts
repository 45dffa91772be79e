// Exports for extensions, as 'frontdesk'. docs/extend/exports.md lists them and what SemVer covers; no other path is public.
export { AccountOwned, AccountRecord } from './auth/accounts/account.entity';
export { AccountCacheInterceptor } from './auth/account-cache.interceptor';
export { AccountId, HasScope, WriteContextOf } from './auth/caller';
export { Public, Scope, type ScopeName } from './auth/route-policies';
export { createApplication } from './programs/service/application';
export { findAccountId, JSON_OPTION, type JsonOption, printJson, printList, printNotice, withServices } from './programs/commands/action';
export { Clock } from './platform/common/clock';
export {
  type FieldType,
  FLAG,
  HTTP_URL,
  lines,
  oneOf,
  orEmpty,
  POSITIVE_INTEGER,
  RECORD_ID,
  text,
  TIME,
  YES_OR_NO,
} from './platform/common/field-types';
export { Refusal } from './platform/common/errors';
export { fold } from './platform/common/fold-text';
export { NOW, Page, type PageRequest, type RecordColumn, type RecordColumns, type Versioned } from './platform/common/records';
export { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, timestamp } from './platform/common/time';
export { operatorContext, StaleVersion, type WriteContext } from './platform/common/write-context';
export { Config, ConfigError } from './platform/config/config';
export { audit, type AuditEvent } from './platform/database/events/audit';
export type { DescribedEvent, EventText } from './platform/database/events/event-types';
export { Dialect, type SqlExecutor, type SqlReader } from './platform/database/dialect';
export { countChanges } from './platform/database/lists/list-changes';
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
} from './platform/database/migrations/columns';
export { MYSQL_TABLE } from './platform/database/mysql/mysql.dialect';
export type { ListRequest } from './platform/database/records/page-reader';
export { RecordNotFound, Records, type Row } from './platform/database/records/records';
export type { RecordTable, TableOptions } from './platform/database/records/record-table';
export { schemaDrift } from './platform/database/migrations';
export { type Transaction, UniqueViolation, WriteExecutor } from './platform/database/writes/transactions';
export { AccountMessages, type SendResult } from './deliveries/messages/account-messages';
export { defineExtension, type Extension, type ExtensionTests } from './platform/extensions/extension';
export { NeedsNoIdempotencyKey, RefusesIdempotencyKey } from './platform/http/input/idempotency-key';
export { FormLimits } from './platform/http/input/body-reader';
export { ParseRecordIdPipe } from './platform/http/input/parse-record-id.pipe';
export { IsFlag, IsHttpUrl, IsHttpUrlOrEmpty, IsOneOf, IsPositiveInteger, IsRecordId, IsText, rule } from './platform/http/input/rules';
export { AcceptsFiles } from './platform/http/input/uploads';
export { CreationTime, NullableTimeField, RecordField, TimeField, UpdateTime } from './platform/http/record-fields';
export { ApiAction, ApiCreate, ApiDelete, ApiFormAction, ApiRead, ApiResult, ApiUpdate, Paginated, Refuses } from './platform/http/routes';
export {
  contains,
  ENABLED,
  equals,
  type ListQuery,
  type ListFilter,
  listQuery,
  PageQuery,
  refersTo,
  times,
} from './platform/http/list-query';
export { asCreated, asData, asId, asRecord, type Data } from './platform/http/responses';
export { RequestError } from './platform/http/request-error';
export { Job, type JobOptions } from './platform/jobs/job.decorator';
export { OperatorError } from './auth/accounts/accounts.service';
export type { Collection } from './scheduling/collections/collection';
