import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../language/language';
import { useSession } from '../session/session';
import { LiveFeed, type LiveEvent } from './live-feed';

const FeedContext = createContext<LiveFeed | undefined>(undefined);

/** Provides the signed-in account's events to the pages within. */
export function Live({ children }: { children: ComponentChildren }) {
  const { liveApi, may, fingerprint } = useSession();
  const [feed, setFeed] = useState<LiveFeed>();
  const [isConnected, setConnected] = useState(true);
  useEffect(() => {
    const opened = new LiveFeed(liveApi, may('events:read'), `frontdesk.events.${fingerprint}`, setConnected);
    setFeed(opened);
    return () => opened.close();
  }, [liveApi]);
  return (
    <FeedContext.Provider value={feed}>
      <div class="connection" role="status">
        {!isConnected && <p class="connection-lost">{t.live.lost}</p>}
      </div>
      {children}
    </FeedContext.Provider>
  );
}

/** Prevents a burst of events from causing a burst of reads. */
const PAUSE_MS = 2_000;

/**
 * Calls `onChange` with the events whose type begins with `prefix`, such as `domain.`, collected over two seconds. Also calls it without
 * events when some may have been missed.
 */
export function useLive(prefix: string, onChange: (events: readonly LiveEvent[]) => void): void {
  const feed = useContext(FeedContext);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    if (!feed) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let batches: (readonly LiveEvent[])[] = [];
    const flush = (): void => {
      timer = batches.length > 0 ? setTimeout(flush, PAUSE_MS) : undefined;
      const batch = batches;
      batches = [];
      if (batch.length > 0) latest.current(batch.some((events) => events.length === 0) ? [] : batch.flat());
    };
    const stop = feed.listen((events) => {
      const own = events.filter(({ type }) => type.startsWith(prefix));
      if (own.length === 0 && events.length > 0) return;
      batches.push(own);
      if (timer === undefined) flush();
    });
    return () => (stop(), clearTimeout(timer));
  }, [feed, prefix]);
}
