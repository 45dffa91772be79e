/**
 * Folds case and accents for filtering and ordering. The result is stored beside each text, so that every database compares
 * the same bytes; a change here needs a migration of the stored values. Drops trailing spaces, which MySQL ignores and SQLite
 * doesn't. At most three times as long as the text in code points (U+1D160 becomes three).
 */
export function fold(text: string): string {
  return foldPart(text).replace(/ +$/, '');
}

/** Folds a substring to search for; trailing spaces are significant. */
export function foldPart(text: string): string {
  const withoutAccents = text.normalize('NFD').replace(/\p{Mn}/gu, '');
  return withoutAccents.toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
