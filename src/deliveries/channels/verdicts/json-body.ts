/** The object in a response's body, or an empty one. */
export function jsonObject(body: string): Record<string, unknown> {
  try {
    return asObject(JSON.parse(body));
  } catch {
    return {};
  }
}

export function asInteger(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}

export function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
