import { useState } from 'preact/hooks';
import { t, visible } from './language';

const SHORT = 24;
const LONG = 160;

/** A name or another text that isn't the console's. Lists show a line or two of it, one of an address: the title has the whole. */
export function CallerText({ text, isAddress = false }: { text: string; isAddress?: boolean }) {
  const shown = visible(text);
  return (
    <bdi class={isAddress ? 'caller-text address' : 'caller-text'} title={shown.length > SHORT ? shown : undefined}>
      {shown}
    </bdi>
  );
}

/** The beginning of what may be very long, such as an address of 1,500 characters, and the rest on request. */
export function LongText({ text, href }: { text: string; href?: string }) {
  const [isWhole, setWhole] = useState(false);
  const shown = visible(text);
  const isLong = shown.length > LONG;
  const part = isLong && !isWhole ? `${shown.slice(0, LONG / 2)}…` : shown;
  return (
    <>
      {href === undefined ? (
        <bdi>{part}</bdi>
      ) : (
        <a href={href} target="_blank" rel="noreferrer noopener">
          {part}
        </a>
      )}
      {isLong && (
        <button type="button" class="link-button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? t.lists.showLess : t.lists.showAll}
        </button>
      )}
    </>
  );
}
