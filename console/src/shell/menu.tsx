import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { CallerText } from '../language/caller-text';
import { language, switchLanguage, t } from '../language/language';
import { useSession } from '../session/session';
import { leavePage } from './leave-dialog';
import type { PageName } from './routes';

const OTHER = language === 'en' ? (['pt-BR', 'Português'] as const) : (['en', 'English'] as const);

/** The menu: beside the page on wide screens, behind a button on narrow ones. */
export function Menu({ pages }: { pages: readonly { name: PageName; path: string }[] }) {
  const { identity, signOut } = useSession();
  const [path] = useLocation();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  return (
    <header class="menu" onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}>
      <div class="menu-bar">
        <Link class="brand" href="/">
          frontdesk
        </Link>
        <button type="button" class="button menu-toggle" aria-expanded={isOpen} aria-controls="menu" onClick={() => setOpen(!isOpen)}>
          {isOpen ? t.shell.close : t.shell.more}
        </button>
      </div>
      <div id="menu" class={isOpen ? 'menu-content is-open' : 'menu-content'}>
        <nav aria-label={t.shell.menu}>
          <ul>
            {pages.map((page) => (
              <li key={page.name}>
                <Link href={page.path} aria-current={isBelow(path, page.path) ? 'page' : undefined}>
                  {t.pages[page.name]}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div class="menu-foot">
          <p class="muted identity">
            <CallerText text={identity.account} /> · <CallerText text={identity.name} />
          </p>
          <button type="button" class="button" lang={OTHER[0]} onClick={() => switchLanguage(OTHER[0])}>
            {OTHER[1]}
          </button>
          <button type="button" class="button" onClick={() => leavePage(signOut)}>
            {t.session.signOut}
          </button>
        </div>
      </div>
    </header>
  );
}

function isBelow(path: string, page: string): boolean {
  return path === page || (page !== '/' && path.startsWith(`${page}/`));
}
