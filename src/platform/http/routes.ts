import { applyDecorators, SetMetadata, type Type, UseInterceptors } from '@nestjs/common';
import { ApiConsumes, ApiExtraModels, ApiHeader, ApiOperation, ApiParam, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { type ErrorCode, ERRORS } from '../common/errors';
import { IDEMPOTENCY_KEY } from './input/idempotency-key';
import { FORM_TYPES } from './input/request-body';
import { PageQuery } from './list-query';
import { PageLinks, PageMeta } from './page.dto';
import { PAGE_QUERY_KEY, PaginationInterceptor } from './pagination.interceptor';

const EXAMPLE_TAG = '"3q2-7wRm5nK1yTzXbVc0aA"';
const ETAG = {
  description: 'Identifies this version of the record.',
  required: true,
  schema: { type: 'string' as const },
  example: EXAMPLE_TAG,
};
const LOCATION = { description: 'URL of the new record.', required: true, schema: { type: 'string' as const, format: 'uri' } };
const ID_SCHEMA = dataSchema({ type: 'object', required: ['id'], properties: { id: { type: 'integer', examples: [7] } } });

/** Metadata key: the class of the record that a route reads. */
export const READ_RECORD_KEY = 'frontdesk:reads';

// These decorators document a route; they are used with Nest's @Get(), @Post() or @Delete().

/**
 * A page of records. The handler takes a `PageQuery` and returns a `Page`, which is wrapped in the list envelope. Without arguments,
 * adds no documentation.
 */
export function Paginated(): MethodDecorator;
export function Paginated(record: Type, summary: string): MethodDecorator;
export function Paginated(record?: Type, summary?: string): MethodDecorator {
  const documentation = record ? [ApiOperation({ summary }), ApiPage(record)] : [];
  return applyDecorators(UseInterceptors(PaginationInterceptor), StorePageQuery, ...documentation);
}

/**
 * Stores the type of the handler's `@Query()` for the interceptor, which doesn't see the values that pipes return. The type is unknown for
 * a mixin's handler, or if the compiler emits no type metadata.
 */
const StorePageQuery: MethodDecorator = (prototype, name, { value }: PropertyDescriptor) => {
  const types = Reflect.getMetadata('design:paramtypes', prototype, name) as (Type | undefined)[] | undefined;
  const query = types?.find((type) => type === PageQuery || type?.prototype instanceof PageQuery);
  if (query) Reflect.defineMetadata(PAGE_QUERY_KEY, query, value as object);
};

/** One record, with an entity tag: the handler returns `asRecord`. */
export function ApiRead(idName: string, record: Type, summary: string) {
  return applyDecorators(SetMetadata(READ_RECORD_KEY, record), ApiReadPart(idName, record, summary));
}

/** A part of one record, with an entity tag. */
export function ApiReadPart(idName: string, part: Type, summary: string) {
  return applyDecorators(
    ApiId(idName),
    ApiOperation({ summary }),
    ApiExtraModels(part),
    ApiResponse({ status: 200, description: 'The record.', schema: dataSchema(schemaRef(part)), headers: { ETag: ETAG } }),
    ApiIfNoneMatch(),
  );
}

/** A new record: 201 with its id, and its URL in `Location`. */
export function ApiCreate(summary: string) {
  return applyDecorators(
    ApiOperation({ summary }),
    ApiForm(),
    ApiResponse({ status: 201, description: 'Id of the new record.', schema: ID_SCHEMA, headers: { Location: LOCATION } }),
  );
}

/** Documents the 200 of an `ApiCreate` that returns an existing record instead of creating one. */
export function RepeatResponse(description: string): MethodDecorator {
  return ApiResponse({ status: 200, description, schema: ID_SCHEMA });
}

/** Changes to a record; omitted fields keep their values. */
export function ApiUpdate(idName: string, summary: string) {
  return applyDecorators(ApiId(idName), ApiOperation({ summary }), ApiForm(), ApiIfMatch(), ApiIdResponse('Id of the record.'));
}

export function ApiDelete(idName: string, summary: string) {
  return applyDecorators(ApiId(idName), ApiOperation({ summary }), ApiIfMatch(), ApiIdResponse('Id of the deleted record.'));
}

/** A result without an entity tag. `idName`: the id parameter, for a route below one record. */
export function ApiResult(result: Type, summary: string, idName?: string) {
  return applyDecorators(...(idName ? [ApiId(idName)] : []), ApiOperation({ summary }), ApiData(result));
}

/** An action without fields on one record: 200 with the result, or with the record's id. */
export function ApiAction(idName: string, summary: string, result?: Type) {
  const response = result ? ApiData(result) : ApiIdResponse('Id of the record.');
  return applyDecorators(ApiId(idName), ApiOperation({ summary }), ApiIdempotencyKey(), response);
}

/** An action with a form: 200, or another status, with the result. `idName`: the id parameter, for a route below one record. */
export function ApiFormAction(
  result: Type,
  summary: string,
  { idName, description, status }: { idName?: string; description?: string; status?: number } = {},
) {
  return applyDecorators(...(idName ? [ApiId(idName)] : []), ApiOperation({ summary, description }), ApiForm(), ApiData(result, status));
}

/** Documents an error that doesn't follow from a route's path, parameters or security. */
export function ApiError(code: ErrorCode): MethodDecorator {
  return ApiResponse({ status: ERRORS[code].status });
}

export function ApiIfNoneMatch() {
  const description = 'Entity tag of the version that the client has: 304 when the record is unchanged.';
  return applyDecorators(
    ApiOptionalHeader('If-None-Match', description, EXAMPLE_TAG),
    ApiResponse({ status: 304, description: 'Not modified.', headers: { ETag: ETAG } }),
  );
}

export function ApiIfMatch() {
  return ApiOptionalHeader('If-Match', 'Entity tag of the version that was read: 412 when the record has changed since.', EXAMPLE_TAG);
}

function ApiForm() {
  return applyDecorators(ApiConsumes(...FORM_TYPES), ApiIdempotencyKey());
}

function ApiIdempotencyKey() {
  const description = 'Idempotency key: a repeat within 24 hours returns the first result without writing again.';
  return ApiOptionalHeader('Idempotency-Key', description, 'order-4711-host', IDEMPOTENCY_KEY.source);
}

function ApiPage(record: Type) {
  return applyDecorators(
    ApiExtraModels(record, PageMeta, PageLinks),
    ApiResponse({
      status: 200,
      description: 'One page of records, by ascending id unless the query says otherwise.',
      schema: {
        type: 'object',
        required: ['data', 'meta', 'links'],
        properties: { data: { type: 'array', items: schemaRef(record) }, meta: schemaRef(PageMeta), links: schemaRef(PageLinks) },
      },
    }),
  );
}

export function ApiIdResponse(description: string) {
  return ApiResponse({ status: 200, description, schema: ID_SCHEMA });
}

function ApiData(model: Type, status = 200) {
  return applyDecorators(ApiExtraModels(model), ApiResponse({ status, description: 'The result.', schema: dataSchema(schemaRef(model)) }));
}

function ApiOptionalHeader(name: string, description: string, example: string, pattern?: string) {
  return ApiHeader({ name, required: false, description, schema: { type: 'string', pattern, examples: [example] } });
}

export function ApiId(name: string) {
  return ApiParam({ name, schema: { type: 'integer', minimum: 0, examples: [7] }, description: 'Id of the record, in digits.' });
}

function dataSchema(data: object) {
  return { type: 'object', required: ['data'], properties: { data } };
}

function schemaRef(model: Type) {
  return { $ref: getSchemaPath(model) };
}
