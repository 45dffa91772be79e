/** Not allowed in XML 1.0, not even as a reference: https://www.w3.org/TR/xml/#charsets */
const ILLEGAL = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** Content of an element; characters that XML can't hold are removed. */
export function xmlText(text: string): string {
  return escapeEntities(text.replace(ILLEGAL, ''));
}

/** The three characters that XML content and Slack escape. */
export function escapeEntities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
