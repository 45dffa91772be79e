import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { IdempotencyKeyInUse, IdempotencyKeyReused, StaleVersion } from '../../common/write-context';
import { Dialect } from '../../database/dialect';
import { RecordNotFound } from '../../database/records/records';
import { type StatusError, statusErrorOf } from './nest-exceptions';
import { entryOf, errorBody, RequestError } from './request-error';

/** Turns everything that is thrown into the API's one error format. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(private readonly dialect: Dialect) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request: Request = host.switchToHttp().getRequest();
    const response: Response = host.switchToHttp().getResponse();
    const { status, headers, errors } = this.resolve(error, request);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.removeHeader('Content-Type'); // of the intended response
    response.status(status).set(headers).json(errorBody(errors, request.id));
  }

  private resolve(error: unknown, request: Request): StatusError {
    const refusal = refusalOf(error);
    if (refusal) return toStatusError(refusal);
    const known = statusErrorOf(error);
    if (!known || known.status >= 500) this.logger.error({ request_id: request.id, err: error });
    if (known) return known;
    return toStatusError(
      this.dialect.isUnavailable(error)
        ? RequestError.unavailable('The database does not answer. Try again.')
        : RequestError.of('internal_error', 'A fault of this service. Its operator finds it in the log under this id.'),
    );
  }
}

function refusalOf(error: unknown): RequestError | undefined {
  if (error instanceof RequestError) return error;
  if (error instanceof RecordNotFound) return RequestError.of('not_found', error.message);
  if (error instanceof StaleVersion)
    return RequestError.inHeader('precondition_failed', 'The record has changed since: read it again.', 'If-Match');
  if (error instanceof IdempotencyKeyReused)
    return RequestError.inHeader('idempotency_key_reused', 'This key was sent with another request.', 'Idempotency-Key');
  if (error instanceof IdempotencyKeyInUse)
    return RequestError.inHeader('idempotency_key_in_use', 'This request is being carried out.', 'Idempotency-Key', { 'Retry-After': '1' });
  return undefined;
}

function toStatusError({ violations, headers }: RequestError): StatusError {
  const errors = violations.map(entryOf);
  return { status: errors[0].status, headers, errors };
}
