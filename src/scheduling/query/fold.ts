/**
 * A text as filters and orders see it: without case and accents, composed or not. Its result is kept beside each text, so
 * that every database compares the same bytes; after a change here, what is kept must be made anew by a migration.
 * Spaces at the end are left out, for MySQL compares as if there were none and SQLite does not.
 * It has at most three times the code points of the text (U+1D160 becomes three), which is the length of its column.
 */
export function fold(text: string): string {
  return foldPart(text).replace(/ +$/, '');
}

/** The same for a part of a text, such as a filter looks for: a space at its end may stand in the middle of the whole. */
export function foldPart(text: string): string {
  const withoutAccents = text.normalize('NFD').replace(/\p{Mn}/gu, '');
  return withoutAccents.toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
