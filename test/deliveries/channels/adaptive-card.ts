import type * as AdaptiveCards from 'adaptivecards';
import { createRequire } from 'node:module';

/** The package's main file is an ES module that Node takes for CommonJS; this one is CommonJS. */
const require = createRequire(__filename);
const { AdaptiveCard, RichTextBlock, SerializationContext } = require('adaptivecards/dist/adaptivecards.js') as typeof AdaptiveCards;

/** The parts of a DOM element that Microsoft's renderer uses for a RichTextBlock. */
class FakeElement {
  readonly children: FakeElement[] = [];
  readonly style = { removeProperty: () => {} };
  readonly classList = { add: () => {} };
  innerText = '';
  href = '';

  appendChild(child: FakeElement): void {
    this.children.push(child);
  }

  setAttribute(): void {}

  removeAttribute(): void {}

  get text(): string {
    return this.innerText + this.children.map(({ text }) => text).join('');
  }

  get links(): string[] {
    return [this.href, ...this.children.flatMap(({ links }) => links)].filter(Boolean);
  }
}

const DOM = { document: { createElement: () => new FakeElement() }, HTMLButtonElement: class {} };

export interface RenderedCard {
  /** Errors from the parser and the validation of Microsoft's package. */
  problems: unknown[];
  blocks: { text: string; links: string[] }[];
}

/** Parses, validates and renders a card with Microsoft's package. */
export function renderCard(card: object): RenderedCard {
  const context = new SerializationContext();
  const parsed = new AdaptiveCard();
  parsed.parse(card, context);
  const events = Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index));
  const items = Array.from({ length: parsed.getItemCount() }, (_, index) => parsed.getItemAt(index));
  const strangers = items.filter((item) => !(item instanceof RichTextBlock));
  Object.assign(globalThis, DOM);
  try {
    const blocks = items.map((item) => item.render() as unknown as FakeElement);
    const problems = [...events, ...parsed.validateProperties().validationEvents, ...strangers];
    return { problems, blocks: blocks.map(({ text, links }) => ({ text, links })) };
  } finally {
    for (const name of Object.keys(DOM)) Reflect.deleteProperty(globalThis, name);
  }
}
