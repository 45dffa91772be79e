/** The visible parts of a message. */
export interface Wording {
  title: string;
  text: string;
  url: string;
}

type Render = (wording: Wording) => string;
type Fits = (rendered: string) => boolean;

/** One part per line; empty ones are left out. */
export function lines({ title, text, url }: Wording): string {
  return [title, text, url].filter(Boolean).join('\n');
}

/**
 * Renders as much as fits. The text is cut first; a URL that leaves no room even for `…` is left out; a title is cut only if it is
 * too long by itself. Cutting precedes rendering, so no escape is ever split.
 */
export function fit({ title, text, url }: Wording, render: Render, fits: Fits): string {
  return (
    longest(text, (cut) => render({ title, text: cut, url }), fits) ??
    longest(text, (cut) => render({ title, text: cut, url: '' }), fits) ??
    longest(title, (cut) => render({ title: cut, text: '', url: '' }), fits) ??
    ''
  );
}

/** At most `max` UTF-16 units of the text; ends with `…` if cut. */
export function cut(text: string, max: number): string {
  const fits: Fits = (rendered) => rendered.length <= max;
  return longest(text, (beginning) => beginning, fits) ?? '';
}

/** Renders the whole text, or as many code points as fit, followed by `…`. Undefined if not even `…` fits. */
function longest(text: string, render: (text: string) => string, fits: Fits): string | undefined {
  const whole = render(text);
  if (fits(whole)) return whole;
  const codePoints = [...text];
  let best: string | undefined;
  let [low, high] = [0, codePoints.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const rendered = render(`${codePoints.slice(0, middle).join('')}…`);
    if (fits(rendered)) [best, low] = [rendered, middle + 1];
    else high = middle - 1;
  }
  return best;
}

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
