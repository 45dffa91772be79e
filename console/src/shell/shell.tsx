import { useRef } from 'preact/hooks';
import { Redirect, Route, Switch } from 'wouter-preact';
import { t } from '../language/language';
import { Live } from '../live/live';
import { useSession } from '../session/session';
import { Menu } from './menu';
import { NotFound } from './page';
import { visiblePages } from './routes';

/** The menu, and the page for the current URL. */
export function Shell() {
  const { may } = useSession();
  const main = useRef<HTMLElement>(null);
  const pages = visiblePages(may);
  const skip = (event: Event): void => {
    event.preventDefault();
    main.current?.focus();
  };
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        {t.shell.skip}
      </a>
      <div class="shell">
        <Menu pages={pages} />
        <main class="main" id="main" tabIndex={-1} ref={main}>
          <Live>
            <Switch>
              {pages.map(({ name, path, page: Component }) => (
                <Route key={name} path={path === '/' ? path : `${path}/*?`}>
                  <Component />
                </Route>
              ))}
              {pages[0]?.path !== '/' && (
                <Route path="/">
                  <Redirect to={pages[0]?.path ?? '/keys'} replace />
                </Route>
              )}
              <Route>
                <NotFound />
              </Route>
            </Switch>
          </Live>
        </main>
      </div>
    </>
  );
}
