import { type ErrorCode, ERRORS, type ViolationSource, type Violation } from '../common/errors';

const MAX_CODE_LENGTH = 64;

/** Whether an extension may use this value as an error's `code`: snake_case, 1 to 64 characters long. */
export function isErrorCode(code: unknown): code is string {
  return typeof code === 'string' && code.length <= MAX_CODE_LENGTH && /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(code);
}

/** `Coupon used up` for `coupon_used_up`. */
export function titleOf(code: string): string {
  const words = code.replaceAll('_', ' ');
  return ERRORS[code as ErrorCode]?.title ?? words[0].toUpperCase() + words.slice(1);
}

export interface ErrorEntry {
  status: number;
  code: string;
  title: string;
  detail: string;
  source?: ViolationSource;
}

export function entryOf({ code, detail, source }: Violation): ErrorEntry {
  const { status, title } = ERRORS[code];
  return { status, code, title, detail, source };
}

export function errorBody(entries: readonly ErrorEntry[], requestId: string) {
  return { errors: entries.map((entry) => ({ id: requestId, ...entry })) };
}
