/** Letters that NFD doesn't decompose, with what people type on keyboards that lack them; also the final sigma. */
const LETTER_REPLACEMENTS: Record<string, string> = {
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ø: 'o',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ς: 'σ',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
};
const REPLACED_LETTER = new RegExp(`[${Object.keys(LETTER_REPLACEMENTS).join('')}]`, 'g');

/**
 * Folds case and accents for filtering and ordering. The result is stored beside each text, so that every database compares
 * the same bytes; a change here needs a migration of the stored values. Drops trailing spaces, which MySQL ignores and SQLite
 * doesn't. In code points, at most three times as long as the text (U+1D160 becomes three).
 */
export function fold(text: string): string {
  return foldSearchText(text).replace(/ +$/, '');
}

/** Folds a substring to search for; trailing spaces are significant. */
export function foldSearchText(text: string): string {
  const withoutAccents = text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
  return withoutAccents.replace(REPLACED_LETTER, (letter) => LETTER_REPLACEMENTS[letter]).normalize('NFC');
}
