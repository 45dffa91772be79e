import type { Wording } from './text-fit';

interface TextRun {
  type: 'TextRun';
  text: string;
  selectAction?: { type: 'Action.OpenUrl'; url: string };
}

/**
 * An Adaptive Card of text runs, which are not parsed as Markdown. They came with version 1.2:
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

/** Splits `{{DATE(…)}}` and `{{TIME(…)}}` between the braces: clients replace them, but only within one run. */
function plain(text: string): TextRun[] {
  const parts = text ? text.split(/(?<=\{)(?=\{(?:DATE|TIME)\()/) : [];
  return parts.map((part) => ({ type: 'TextRun', text: part }));
}

/** Clients don't link URLs in runs; the action does. */
function link(url: string): TextRun[] {
  return plain(url).map((run) => ({ ...run, selectAction: { type: 'Action.OpenUrl', url } }));
}
