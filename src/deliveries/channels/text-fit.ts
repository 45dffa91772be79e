/** The visible parts of a message. */
export interface Wording {
  title: string;
  text: string;
  url: string;
  /** Link that acknowledges the message; absent unless the message waits for an acknowledgement. */
  acknowledge_url?: string;
}

type Render<T> = (wording: Wording) => T;
type FitsLimit<T> = (rendered: T) => boolean;
/** A message cut to fit, and its rendering. */
type Fitted<T> = { wording: Wording; rendered: T };

/** A URL in a text, without trailing punctuation. */
export const URL_IN_TEXT = /https?:\/\/[^\s<>]*[^\s<>.,:;!?'")\]]/g;

export const ACKNOWLEDGE = 'Acknowledge: ';

/** Puts each part on its own line, and leaves out empty ones. */
export function joinLines({ title, text, url, acknowledge_url }: Wording): string {
  return [title, text, url, acknowledge_url && ACKNOWLEDGE + acknowledge_url].filter(Boolean).join('\n');
}

/**
 * Renders as much as fits. The text is cut first; a URL that leaves no room even for `…` is left out; a title is cut only if it is
 * too long by itself; the acknowledgement link is never cut. Cutting precedes rendering, so no escape sequence is ever split.
 */
export function fit<T>({ title, text, url, acknowledge_url }: Wording, render: Render<T>, fits: FitsLimit<T>, mark = '…'): Fitted<T> {
  const fitted: Render<Fitted<T>> = (parts) => {
    const wording = { ...parts, ...(acknowledge_url && { acknowledge_url }) };
    return { wording, rendered: render(wording) };
  };
  const isFit: FitsLimit<Fitted<T>> = ({ rendered }) => fits(rendered);
  return (
    longestThatFits(text, (cut) => fitted({ title, text: cut, url }), isFit, mark) ??
    longestThatFits(text, (cut) => fitted({ title, text: cut, url: '' }), isFit, mark) ??
    longestThatFits(title, (cut) => fitted({ title: cut, text: '', url: '' }), isFit, mark) ??
    fitted({ title: '', text: '', url: '' })
  );
}

/** At most `max` UTF-16 units of the text; ends with `…` if cut. */
export function cut(text: string, max: number): string {
  const fits: FitsLimit<string> = (rendered) => rendered.length <= max;
  return longestThatFits(text, (beginning) => beginning, fits) ?? '';
}

/** Units that are never split: code points, and URLs with the character after them, because `…` right after a URL would become part of it. */
const INDIVISIBLE_PARTS = /https?:\/\/[^\s<>]*[\s<>]?|./gsu;

/** Renders the whole text, or as much of it as fits, followed by the mark. Undefined if not even that fits. */
function longestThatFits<T>(text: string, render: (text: string) => T, fits: FitsLimit<T>, mark = '…'): T | undefined {
  const whole = render(text);
  if (fits(whole)) return whole;
  const cuts = Array.from(text.matchAll(INDIVISIBLE_PARTS), ({ index }) => index);
  let best: T | undefined;
  let [low, high] = [0, cuts.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const rendered = render(text.slice(0, cuts[middle]) + mark);
    if (fits(rendered)) [best, low] = [rendered, middle + 1];
    else high = middle - 1;
  }
  return best;
}

/** Characters that XML 1.0 forbids, even as references: https://www.w3.org/TR/xml/#charsets */
const ILLEGAL_IN_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

export function removeIllegalXml(text: string): string {
  return text.replace(ILLEGAL_IN_XML, '');
}

/** Escapes `&`, `<` and `>`, as both XML content and Slack require. */
export function escapeEntities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
