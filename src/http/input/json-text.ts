/** The text that a form would hold for a JSON value; undefined when none does. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || isExact(value) ? String(value) : undefined;
}

/** A larger number, or one with an exponent, is no longer the digits that were sent. */
function isExact(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}
