import { applyDecorators, Delete, Get, HttpCode, Post, type Type, UseInterceptors } from '@nestjs/common';
import {
  ApiConsumes,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { FORM_TYPES } from '../input/parsers';
import { ApiIdempotencyKey, ApiIfMatch, ApiIfNoneMatch, ENTITY_TAG } from './conditions';
import { PageLinks, PageMeta } from '../pagination/page-schema';
import { PaginationInterceptor } from '../pagination/pagination.interceptor';
import { type ErrorCode, ERRORS } from '../errors/request-error';

/** `GET` a page of records. */
export function ListRoute(record: Type, summary: string) {
  return applyDecorators(
    Get(),
    UseInterceptors(PaginationInterceptor),
    ApiOperation({ summary }),
    ApiExtraModels(record, PageMeta, PageLinks),
    ApiOkResponse({
      description: 'One page of the records, by ascending id.',
      schema: {
        type: 'object',
        required: ['data', 'meta', 'links'],
        properties: { data: { type: 'array', items: refer(record) }, meta: refer(PageMeta), links: refer(PageLinks) },
      },
    }),
  );
}

/** `GET` one record; `idName` is the name of its id in the path. */
export function ReadRoute(idName: string, record: Type, summary: string) {
  return applyDecorators(
    Get(`:${idName}`),
    ApiId(idName),
    ApiOperation({ summary }),
    ApiExtraModels(record),
    ApiOkResponse({ description: 'The record.', schema: dataSchema(refer(record)), headers: ENTITY_TAG }),
    ApiIfNoneMatch(),
  );
}

/** `POST` a new record: 201 with its id, and its address in `Location`. */
export function CreateRoute(summary: string) {
  return applyDecorators(
    Post(),
    ApiOperation({ summary }),
    ApiConsumes(...FORM_TYPES),
    ApiIdempotencyKey(),
    ApiCreatedResponse({
      description: 'The id of the new record.',
      schema: ID_SCHEMA,
      headers: { Location: { description: 'Address of the new record.', required: true, schema: { type: 'string', format: 'uri' } } },
    }),
  );
}

/** `POST` changes to a record: what is left out stays. */
export function UpdateRoute(idName: string, summary: string) {
  return applyDecorators(
    Post(`:${idName}`),
    HttpCode(200),
    ApiId(idName),
    ApiOperation({ summary }),
    ApiConsumes(...FORM_TYPES),
    ApiIdempotencyKey(),
    ApiIfMatch(),
    ApiOkResponse({ description: 'The id of the record.', schema: ID_SCHEMA }),
  );
}

export function DeleteRoute(idName: string, summary: string) {
  return applyDecorators(
    Delete(`:${idName}`),
    ApiId(idName),
    ApiOperation({ summary }),
    ApiIfMatch(),
    ApiOkResponse({ description: 'The id that the record had.', schema: ID_SCHEMA }),
  );
}

/** Documents an error that doesn't follow from a route's path, parameters or security. */
export function Refuses(code: ErrorCode): MethodDecorator {
  return ApiResponse({ status: ERRORS[code].status });
}

const ID_SCHEMA = dataSchema({ type: 'object', required: ['id'], properties: { id: { type: 'integer', examples: [7] } } });

function dataSchema(data: object) {
  return { type: 'object', required: ['data'], properties: { data } };
}

function refer(model: Type) {
  return { $ref: getSchemaPath(model) };
}

function ApiId(name: string) {
  return ApiParam({ name, schema: { type: 'integer', minimum: 0, examples: [7] }, description: 'Id of the record, in digits.' });
}
