// Exports for extensions, as 'frontdesk'. docs/extend/exports.md lists them and what SemVer covers; no other path is public.
export { AccountOwned, AccountRecord } from './auth/accounts/account.entity';
export { AccountCacheInterceptor } from './auth/account-cache.interceptor';
export { AccountId, CallerHasScope, WriteContextOf } from './auth/caller';
export { Public, Scope, type ScopeName } from './auth/route-policies';
export { createApplication } from './programs/server/application';
export { JSON_OPTION, type JsonOption } from './programs/commands/arguments';
export { printJson, printList, printNotice } from './programs/commands/actions/output';
export { findAccountId, withServices } from './programs/commands/actions/with-services';
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
export { RecordNotFound, RequestError, StaleVersion } from './platform/common/errors';
export { fold } from './platform/common/fold-text';
export { NOW, Page, type PageRequest, type RecordColumn, type RecordColumns, type Versioned } from './platform/common/records';
export { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, timestamp } from './platform/common/time';
export { operatorContext, type WriteContext } from './platform/common/write-context';
export { Config, ConfigError } from './platform/config/config';
export { byService, logAuditedEvent, logEvents, type NewEvent } from './platform/database/events/event-log';
export type { DescribedEvent, EventText } from './platform/database/events/event-types';
export { Dialect, type SqlExecutor, type SqlReader } from './platform/database/dialect';
export {
  flag,
  generatedId,
  index,
  integer,
  MYSQL_TABLE,
  nullable,
  reference,
  text as textColumn,
  time,
  unique,
  varchar,
} from './platform/database/migrations/columns';
export type { ListRequest } from './platform/database/records/pages';
export { Records, type Row } from './platform/database/records/records';
export type { RecordTable, TableOptions } from './platform/database/records/record-table';
export { schemaDrift } from './platform/database/migrations';
export { type Transaction, UniqueViolation, WriteExecutor } from './platform/database/writes/transactions';
export { MessageSender, type SendResult } from './messages/message-sender';
export { defineExtension, type Extension, type ExtensionTests } from './platform/extensions/extension';
export { NeedsNoIdempotencyKey, RefusesIdempotencyKey } from './platform/http/input/idempotency-key';
export { FormLimits } from './platform/http/input/body-reader';
export { ParseRecordIdPipe } from './platform/http/input/parse-record-id.pipe';
export { IsFlag, IsHttpUrl, IsHttpUrlOrEmpty, IsOneOf, IsPositiveInteger, IsRecordId, IsText, rule } from './platform/http/input/rules';
export { AcceptsFiles } from './platform/http/input/uploads';
export { CreationTime, NullableTimeField, RecordField, TimeField, UpdateTime } from './platform/http/record-fields';
export { ApiAction, ApiCreate, ApiDelete, ApiError, ApiFormAction, ApiRead, ApiResult, ApiUpdate, Paginated } from './platform/http/routes';
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
export { Job, type JobOptions } from './platform/jobs/job.decorator';
export { AdmissionGuard } from './platform/quotas/admission.guard';
export { OperatorError } from './auth/accounts/accounts.service';
export type { Collection } from './scheduling/collections/collection';
