import type { Response } from 'supertest';
import { ERRORS, type ErrorCode, type Source } from '../../src/http/request-error';

/** One expected error; `source` as `query.page`, left out where no input is at fault. */
export interface ExpectedError {
  code: ErrorCode;
  source?: `${Source['in']}.${string}`;
  detail?: string | RegExp;
}

type Answer = Pick<Response, 'status' | 'headers' | 'text'>;

/** The answer is these errors in this order, has their status, and follows the one shape of the interface to the letter. */
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
  source?: Source;
}

/** The errors of an answer, their shape checked. */
export function readErrors(response: Answer): ErrorObject[] {
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  const body = JSON.parse(response.text) as { errors: ErrorObject[] };
  expect(Object.keys(body)).toEqual(['errors']);
  expect(body.errors.length).toBeGreaterThan(0);
  for (const error of body.errors) {
    const { id, status, code, title, detail, source } = error;
    expect(JSON.stringify(error)).toBe(JSON.stringify({ id, status, code, title, detail, source }));
    expect(id).toBe(response.headers['x-request-id']);
    expect({ status, title }).toEqual(ERRORS[code]);
    expect(detail).toMatch(/^\S.*\S$/);
    expect(detail).not.toMatch(FORBIDDEN_IN_DETAIL);
    if (source) expect(JSON.stringify(source)).toBe(JSON.stringify({ in: source.in, name: source.name }));
  }
  return body.errors;
}

/** Statements, stacks and file paths are nobody's business outside. */
const FORBIDDEN_IN_DETAIL = /\b(SELECT|INSERT|UPDATE|DELETE FROM|SQLITE)\b|\n\s+at |node_modules|\.[jt]s:\d+/;

/** The text of an answer without its request id, which no two answers share. */
export function withoutRequestId(response: Answer): string {
  return response.text.replaceAll(String(response.headers['x-request-id']), '<request id>');
}
