/** Characters that XML 1.0 forbids, even as references: https://www.w3.org/TR/xml/#charsets */
const ILLEGAL = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** Element content; forbidden characters are removed. */
export function xmlText(text: string): string {
  return escapeEntities(text.replace(ILLEGAL, ''));
}

/** Escapes what both XML content and Slack require. */
export function escapeEntities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
