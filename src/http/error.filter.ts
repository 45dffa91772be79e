import { type ArgumentsHost, BadRequestException, Catch, type ExceptionFilter, Logger, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Dialect } from '../database/dialect';
import { RecordNotFound } from '../database/records';
import { allowedMethods, methodNotAllowed } from './allowed-methods';
import { errorBody, ERRORS, RequestError } from './request-error';

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
    if (error instanceof NotFoundException) return noRoute(request);
    if (error instanceof BadRequestException) return RequestError.of('invalid_parameter', 'The path must be valid percent-encoded UTF-8.');

    this.logger.error({ request_id: request.id, err: error });
    if (this.dialect.isUnavailable(error)) return RequestError.unavailable('The database does not answer. Try again.');
    return RequestError.of('internal_error', 'A fault of this service. Its operator finds it in the log under this id.');
  }
}

function noRoute(request: Request): RequestError {
  const allowed = allowedMethods(request);
  if (allowed.length === 0) return RequestError.of('not_found', 'There is nothing at this path.');
  return methodNotAllowed(allowed);
}
