import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Ignores elements that are only scrolled past. */
const SEEN_AFTER_MS = 100;

/** Whether the element has been on the screen for a moment. */
export function useSeen(element: RefObject<Element>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (isSeen || !element.current) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new IntersectionObserver((entries) => {
      clearTimeout(timer);
      if (entries.at(-1)?.isIntersecting) timer = setTimeout(() => setSeen(true), SEEN_AFTER_MS);
    });
    observer.observe(element.current);
    return () => (observer.disconnect(), clearTimeout(timer));
  }, [isSeen]);
  return isSeen;
}
