/** As MySQL's JSON type has it. JSON.stringify recurses: some 4,000 levels overflow the stack, and no list with them could be read. */
export const MAX_JSON_LEVELS = 100;

export function isNestedTooDeeply(value: unknown, levels = MAX_JSON_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isNestedTooDeeply(each, levels - 1));
}
