import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { IdempotencyKeyInUse, IdempotencyKeyReused, StaleVersion } from '../../common/write-context';
import { Dialect } from '../../database/dialect';
import { RecordNotFound } from '../../database/records/records';
import { type StatusError, statusErrorOf } from './nest-exceptions';
import { entryOf, type ErrorCode, errorBody, RequestError } from './request-error';

/** Answers everything that is thrown, in the one shape of the interface. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(private readonly dialect: Dialect) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request: Request = http.getRequest();
    const response: Response = http.getResponse();
    const { status, headers, errors } = this.answerTo(error, request);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.removeHeader('Content-Type'); // of the answer that the handler was going to give
    response.status(status).set(headers).json(errorBody(errors, request.id));
  }

  private answerTo(error: unknown, request: Request): StatusError {
    const refusal = refusalOf(error);
    if (refusal) return inEnvelope(refusal);
    const own = statusErrorOf(error);
    if (!own || own.status >= 500) this.logger.error({ request_id: request.id, err: error });
    return own ?? inEnvelope(this.fault(error));
  }

  private fault(error: unknown): RequestError {
    if (this.dialect.isUnavailable(error)) return RequestError.unavailable('The database does not answer. Try again.');
    return RequestError.of('internal_error', 'A fault of this service. Its operator finds it in the log under this id.');
  }
}

/** What the service refuses by itself. */
function refusalOf(error: unknown): RequestError | undefined {
  if (error instanceof RequestError) return error;
  if (error instanceof RecordNotFound) return RequestError.of('not_found', error.message);
  if (error instanceof StaleVersion) return ofHeader('precondition_failed', 'The record has changed since: read it again.', 'If-Match');
  if (error instanceof IdempotencyKeyReused)
    return ofHeader('idempotency_key_reused', 'This key was sent with another request.', 'Idempotency-Key');
  if (error instanceof IdempotencyKeyInUse) {
    const { violations } = ofHeader('idempotency_key_in_use', 'This request is being carried out.', 'Idempotency-Key');
    return new RequestError(violations, { 'Retry-After': '1' });
  }
  return undefined;
}

function inEnvelope({ violations, headers }: RequestError): StatusError {
  const errors = violations.map(entryOf);
  return { status: errors[0].status, headers, errors };
}

function ofHeader(code: ErrorCode, detail: string, name: string): RequestError {
  return RequestError.of(code, detail, { in: 'header', name });
}
