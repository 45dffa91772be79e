import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CONSOLE_URL } from '../api/addresses';
import { t } from '../language/language';
import { BlockSkeleton } from '../lists/skeletons';

/** Delays before retrying a script that failed to load, and before asking the service again. */
const [RETRY_MS, ASK_MS] = [[300, 1_000], 3_000] as const;
/** Storage key that prevents repeated reloads when one doesn't help. */
const RELOADED = 'frontdesk.reloaded';

type Loaded<P> = { default: ComponentType<P> };

/**
 * A component whose script is loaded when it is first shown. If the service has another build by then, reloads the tab at the URL that was
 * opened. If the script can't be loaded, shows an error and retries until it can.
 */
export function lazyPage<P extends object>(load: () => Promise<Loaded<P>>, Fallback: ComponentType = BlockSkeleton): ComponentType<P> {
  let known: ComponentType<P> | undefined;
  return function LazyPage(props: P) {
    const [Page, setPage] = useState(() => known);
    const [hasFailed, setFailed] = useState(false);
    const [tries, setTries] = useState(0);
    useEffect(() => {
      if (Page) return;
      let isGone = false;
      loadPatiently(load).then(
        (loaded) => {
          known = loaded.default;
          if (!isGone) setPage(() => loaded.default);
        },
        () => !isGone && setFailed(true),
      );
      return () => void (isGone = true);
    }, [tries]);
    const retry = (): void => {
      setFailed(false);
      setTries(tries + 1);
    };
    if (Page) return <Page {...props} />;
    return hasFailed ? <NotLoaded retry={retry} /> : <Fallback />;
  };
}

function NotLoaded({ retry }: { retry: () => void }) {
  const [isOutdated, setOutdated] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isGone = false;
    const ask = async (): Promise<void> => {
      const served = await servedBuild();
      if (isGone) return;
      if (served === undefined || served === BUILD) timer = setTimeout(() => (served ? retry() : void ask()), ASK_MS);
      else if (sessionStorage.getItem(RELOADED) === served) setOutdated(true);
      else {
        sessionStorage.setItem(RELOADED, served);
        location.reload();
      }
    };
    void ask();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, []);
  return (
    <div class="notice notice-danger" role="alert">
      <p>{isOutdated ? t.shell.newVersion : t.shell.notLoaded}</p>
      <button type="button" class="button" onClick={isOutdated ? () => location.reload() : retry}>
        {isOutdated ? t.shell.reload : t.errors.retry}
      </button>
    </div>
  );
}

async function loadPatiently<T>(load: () => Promise<T>): Promise<T> {
  for (const wait of RETRY_MS) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
  return load();
}

/** The name of a build's main script, which has a hash of its content. */
const MAIN = /assets\/index-[\w-]+\.js/;
const BUILD = MAIN.exec(document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '')?.[0];

/** The main script of the build that the service has now; undefined while the service can't be reached. */
async function servedBuild(): Promise<string | undefined> {
  const page = await fetch(CONSOLE_URL, { cache: 'no-cache' }).catch(() => undefined);
  return page?.ok ? MAIN.exec(await page.text())?.[0] : undefined;
}
