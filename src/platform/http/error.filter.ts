import { STATUS_CODES } from 'node:http';
import { type ArgumentsHost, Catch, ConflictException, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type ErrorCode, ERRORS, RequestError } from '../common/errors';
import { entryOf, errorBody, type ErrorEntry, isErrorCode, titleOf } from './error-body';
import { Dialect, type ErrorKind } from '../database/dialect';
import { UniqueViolation } from '../database/writes/transactions';

/** Renders every exception in the API's error format. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(private readonly dialect: Dialect) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request: Request = host.switchToHttp().getRequest();
    const response: Response = host.switchToHttp().getResponse();
    const answer = this.resolve(error, request);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.removeHeader('Content-Type'); // set for the response that failed
    this.render(request, response, answer);
  }

  protected render(request: Request, response: Response, { status, headers, errors }: ErrorAnswer): void {
    response.status(status).set(headers).json(errorBody(errors, request.id));
  }

  private resolve(error: unknown, request: Request): ErrorAnswer {
    if (error instanceof RequestError) return toAnswer(error);
    const answer = answerOf(error) ?? this.conflictOf(error);
    if (!answer || answer.status >= 500) this.logger.error({ request_id: request.id, err: error });
    if (answer) return answer;
    return toAnswer(
      this.dialect.isUnavailable(error)
        ? RequestError.unavailable('The database is not responding, or accepts no writes. Try again.')
        : RequestError.of('internal_error', 'Internal error. The operator can find it in the log by this id.'),
    );
  }

  /** The response to a write that violates a unique or foreign key, also through TypeORM or SQL; undefined for any other error. */
  private conflictOf(error: unknown): ErrorAnswer | undefined {
    const kind = error instanceof UniqueViolation ? 'duplicate' : this.dialect.errorKind(error);
    const detail = kind && CONFLICTS[kind];
    return detail ? answerOf(new ConflictException(detail)) : undefined;
  }
}

const CONFLICTS: Partial<Record<ErrorKind, string>> = {
  duplicate: 'Another record has a value that must be unique.',
  referenced: 'This record refers to one that does not exist, or others refer to it.',
};

function toAnswer({ violations, headers }: RequestError): ErrorAnswer {
  const errors = violations.map(entryOf);
  return { status: errors[0].status, headers, errors };
}

/** Codes for statuses whose standard names would be too long. */
const CODES: Record<number, string> = { 422: 'unprocessable', 500: 'internal_error', 503: 'unavailable' };

/** Headers for exceptions from Nest and middleware: required for a 401 (RFC 9110, 11.6.1), useful for a 503 (10.2.3). */
const HEADERS: Record<number, Record<string, string>> = {
  401: { 'WWW-Authenticate': 'Bearer realm="frontdesk"' },
  503: { 'Retry-After': '1' },
};

export interface ErrorAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  errors: ErrorEntry[];
}

/** Undefined for an error without an HTTP status. */
function answerOf(error: unknown): ErrorAnswer | undefined {
  const [status, messages] = error instanceof HttpException ? [error.getStatus(), messagesOf(error)] : fromMiddleware(error);
  if (!Number.isInteger(status) || status < 400 || status > 599) return undefined;
  const name = ownNameOf(error) ?? nameOf(status);
  return { status, headers: HEADERS[status] ?? {}, errors: messages.map((detail) => ({ status, ...name, detail })) };
}

interface ErrorName {
  code: string;
  title: string;
}

/** The name for an exception's own `code`. Undefined if the exception has a list of messages, which one code can't describe. */
function ownNameOf(error: unknown): ErrorName | undefined {
  const response = error instanceof HttpException ? error.getResponse() : '';
  if (typeof response === 'string') return undefined;
  const { code, message } = response as { code?: unknown; message?: unknown };
  return isErrorCode(code) && !Array.isArray(message) ? { code, title: titleOf(code) } : undefined;
}

/** One message, or the list that a ValidationPipe throws. */
function messagesOf(exception: HttpException): string[] {
  const response = exception.getResponse();
  if (typeof response === 'string') return [response];
  const { message, error } = response as { message?: unknown; error?: unknown };
  const messages = [message ?? error ?? exception.message].flat().map((text) => (typeof text === 'string' ? text : JSON.stringify(text)));
  return messages.length > 0 ? messages : [exception.message];
}

/** http-errors sets `expose` on errors whose message may be shown. */
function fromMiddleware(error: unknown): [status: number, messages: string[]] {
  const { statusCode, expose, message } = (error ?? {}) as { statusCode?: number; expose?: boolean; message?: string };
  return expose === true ? [Number(statusCode), [String(message)]] : [NaN, []];
}

/** `conflict` and `Conflict` for 409. An unnamed status gets the name of its class's x00 status (RFC 9110, 15). */
function nameOf(status: number): ErrorName {
  const name = STATUS_CODES[status] ?? STATUS_CODES[status < 500 ? 400 : 500]!;
  const code = CODES[status] ?? name.toLowerCase().replaceAll("'", '').replace(/\W+/g, '_');
  return { code, title: ERRORS[code as ErrorCode]?.title ?? name[0] + name.slice(1).toLowerCase() };
}
