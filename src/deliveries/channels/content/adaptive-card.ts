import type { Wording } from './text-fit';

interface TextRun {
  type: 'TextRun';
  text: string;
  selectAction?: { type: 'Action.OpenUrl'; url: string };
}

/**
 * An Adaptive Card of plain runs, in which no Markdown is read. 1.2 is the first version that has them:
 * https://learn.microsoft.com/en-us/adaptive-cards/schema-explorer/text-run
 */
export function adaptiveCard({ title, text, url }: Wording): object {
  const blocks = [plain(title), plain(text), link(url)].filter((runs) => runs.length > 0);
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    body: blocks.map((inlines) => ({ type: 'RichTextBlock', inlines })),
  };
}

/** `{{DATE(…)}}` and `{{TIME(…)}}` are replaced in each run by itself, so a border of two runs between the braces keeps them as text. */
function plain(text: string): TextRun[] {
  const parts = text ? text.split(/(?<=\{)(?=\{(?:DATE|TIME)\()/) : [];
  return parts.map((part) => ({ type: 'TextRun', text: part }));
}

/** Runs are not searched for URLs; the action makes this one a link. */
function link(url: string): TextRun[] {
  return plain(url).map((run) => ({ ...run, selectAction: { type: 'Action.OpenUrl', url } }));
}
