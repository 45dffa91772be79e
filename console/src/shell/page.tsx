import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { t, visible } from '../language/language';

interface PageProps {
  title: string;
  /** Buttons beside the title. */
  actions?: ComponentChildren;
  /** Path and title of the parent page. */
  parent?: readonly [path: string, text: string];
  children: ComponentChildren;
}

/** The frame of every page. Focuses the title when the page is opened, so that a screen reader reads it. */
export function Page({ title, actions, parent, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · frontdesk`;
  }, [title]);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, []);
  return (
    <>
      <header class="page-header">
        <div>
          {parent && (
            <Link class="parent" href={parent[0]}>
              ← <bdi>{visible(parent[1])}</bdi>
            </Link>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

/** Shown for a record that was deleted or never existed. */
export function Gone({ list: [path, text] }: { list: readonly [path: string, text: string] }) {
  return (
    <Page title={t.shell.goneTitle} parent={[path, text]}>
      <p>{t.shell.gone}</p>
    </Page>
  );
}

export function NotFound() {
  return (
    <Page title={t.shell.notFoundTitle}>
      <p>{t.shell.notFound}</p>
      <Link class="button" href="/">
        {t.shell.home}
      </Link>
    </Page>
  );
}
