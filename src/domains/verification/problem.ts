export const PROBLEM_CODES = ['txt_missing', 'txt_differs', 'target_missing', 'target_differs', 'dns_unreachable'] as const;

/** A problem found by a check. The detail shows no TXT value. */
export interface Problem {
  code: (typeof PROBLEM_CODES)[number];
  detail: string;
}
