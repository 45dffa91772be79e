import { type ArgumentsHost, BadRequestException, Catch, type ExceptionFilter, Logger, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { KeyAtWork, KeyReused, StaleVersion } from '../database/change';
import { Dialect } from '../database/dialect';
import { RecordNotFound } from '../database/records';
import { allowedMethods, methodNotAllowed } from './allowed-methods';
import { errorBody, type ErrorCode, ERRORS, RequestError } from './request-error';

/** Answers everything that is thrown, in the one shape of the interface. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(private readonly dialect: Dialect) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request: Request = http.getRequest();
    const response: Response = http.getResponse();
    const { violations, headers } = this.refusal(error, request);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.status(ERRORS[violations[0].code].status).set(headers).json(errorBody(violations, request.id));
  }

  private refusal(error: unknown, request: Request): RequestError {
    if (error instanceof RequestError) return error;
    if (error instanceof RecordNotFound) return RequestError.of('not_found', error.message);
    if (error instanceof StaleVersion) return ofHeader('precondition_failed', 'The record has changed since: read it again.', 'If-Match');
    if (error instanceof KeyReused) return ofHeader('idempotency_key_reused', 'This key was sent with another request.', 'Idempotency-Key');
    if (error instanceof KeyAtWork) {
      const { violations } = ofHeader('idempotency_key_in_use', 'This request is being carried out.', 'Idempotency-Key');
      return new RequestError(violations, { 'Retry-After': '1' });
    }
    if (error instanceof NotFoundException) return noRoute(request);
    if (error instanceof BadRequestException) return RequestError.of('invalid_parameter', 'The path must be valid percent-encoded UTF-8.');

    this.logger.error({ request_id: request.id, err: error });
    if (this.dialect.isUnavailable(error)) return RequestError.unavailable('The database does not answer. Try again.');
    return RequestError.of('internal_error', 'A fault of this service. Its operator finds it in the log under this id.');
  }
}

function ofHeader(code: ErrorCode, detail: string, name: string): RequestError {
  return RequestError.of(code, detail, { in: 'header', name });
}

function noRoute(request: Request): RequestError {
  const allowed = allowedMethods(request);
  if (allowed.length === 0) return RequestError.of('not_found', 'There is nothing at this path.');
  return methodNotAllowed(allowed);
}
