import type { ComponentChildren } from 'preact';
import { Link, useLocation } from 'wouter-preact';
import { t } from '../language/language';
import type { Query } from '../lists/list-query';
import { Page } from '../shell/page';

/** Views of the appointments, which share their filters, and the lists that belong to them. */
const VIEWS = [
  ['/scheduling', t.scheduling.week],
  ['/scheduling/day', t.scheduling.day],
  ['/scheduling/list', t.scheduling.list],
] as const;
const LISTS = [
  ['/scheduling/attendants', t.scheduling.attendants],
  ['/scheduling/services', t.scheduling.services],
  ['/scheduling/slots', t.scheduling.slots],
] as const;
const SHARED_FILTERS = ['date', 'atendente-nome', 'servico-nome'];

/** The page with its tabs. The views pass `query` on to each other. */
export function SchedulingFrame({ title, query = {}, children }: { title: string; query?: Query; children: ComponentChildren }) {
  const shared = new URLSearchParams(Object.entries(query).filter(([name]) => SHARED_FILTERS.includes(name))).toString();
  return (
    <Page title={title}>
      <nav class="tabs" aria-label={t.scheduling.views}>
        <div class="tab-group" role="group" aria-label={t.scheduling.appointments}>
          {VIEWS.map(([path, text]) => (
            <Tab key={path} path={path} href={shared === '' ? path : `${path}?${shared}`} text={text} />
          ))}
        </div>
        <div class="tab-group" role="group" aria-label={t.scheduling.lists}>
          {LISTS.map(([path, text]) => (
            <Tab key={path} path={path} href={path} text={text} />
          ))}
        </div>
      </nav>
      {children}
    </Page>
  );
}

function Tab({ path, href, text }: { path: string; href: string; text: string }) {
  const [current] = useLocation();
  return (
    <Link href={href} aria-current={current === path ? 'page' : undefined}>
      {text}
    </Link>
  );
}
