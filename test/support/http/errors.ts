import type { Response } from 'supertest';
import { type ErrorCode, ERRORS, type ViolationSource } from '../../../src/platform/common/errors';

/** One expected error; `source` as `query.page`, left out where no input is at fault. */
export interface ExpectedError {
  code: ErrorCode;
  source?: `${ViolationSource['in']}.${string}`;
  detail?: string | RegExp;
}

type Answer = Pick<Response, 'status' | 'headers' | 'text'>;

/** Expects exactly these errors, in this order, with their status and the documented format. */
export function expectErrors(response: Answer, ...expected: ExpectedError[]): void {
  const errors = readErrors(response);
  expect(errors.map(({ code, source }) => ({ code, source: source && `${source.in}.${source.name}` }))).toEqual(
    expected.map(({ code, source }) => ({ code, source })),
  );
  expect(response.status).toBe(ERRORS[expected[0].code].status);
  for (const [index, { detail }] of expected.entries()) {
    if (detail !== undefined) expect(errors[index].detail).toEqual(typeof detail === 'string' ? detail : expect.stringMatching(detail));
  }
}

interface ErrorObject {
  id: string;
  status: number;
  code: ErrorCode;
  title: string;
  detail: string;
  source?: ViolationSource;
}

/** The errors of an answer, their shape checked: one expectation, for some tests read thousands of answers. */
export function readErrors(response: Answer): ErrorObject[] {
  const id = String(response.headers['x-request-id']);
  const { errors = [] } = JSON.parse(response.text) as { errors?: ErrorObject[] };
  const documented = errors.map(({ code, detail, source }) => ({
    id,
    status: ERRORS[code].status,
    code,
    title: ERRORS[code].title,
    detail,
    source: source && { in: source.in, name: source.name },
  }));
  const tooOpen = errors.filter(({ detail }) => !/^\S.*\S$/.test(detail) || FORBIDDEN_IN_DETAIL.test(detail));
  expect([response.headers['content-type'], response.text, errors.length > 0, tooOpen]).toEqual([
    'application/json; charset=utf-8',
    JSON.stringify({ errors: documented }),
    true,
    [],
  ]);
  return errors;
}

/** Statements, stacks and file paths are nobody's business outside. */
const FORBIDDEN_IN_DETAIL = /\b(SELECT|INSERT|UPDATE|DELETE FROM|SQLITE)\b|\n\s+at |node_modules|\.[jt]s:\d+/;

/** The text of an answer without its request id, which no two answers share. */
export function withoutRequestId(response: Answer): string {
  return response.text.replaceAll(String(response.headers['x-request-id']), '<request id>');
}
