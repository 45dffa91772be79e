import type { Application } from 'express';
import type { TestApplication } from './application';

export interface Route {
  method: string;
  path: string;
}

/** Every route that the application answers, as Express has it. */
export function routesOf({ app }: TestApplication): Route[] {
  const { router } = app.getHttpAdapter().getInstance() as Application;
  const layers = router.stack as { route?: { path: string; methods: Record<string, boolean> } }[];
  return layers.flatMap(({ route }) =>
    Object.keys(route?.methods ?? {}).map((method) => ({ method: method.toUpperCase(), path: route!.path })),
  );
}

/** The routes that need a key: all but these. */
export function closedRoutesOf(application: TestApplication): Route[] {
  return routesOf(application).filter(({ path }) => !/^\/(docs|health|openapi\.json)/.test(path));
}

/** The path of a route with this id in the place of its parameter. */
export function withId({ path }: Route, id: number | string): string {
  return path.replace(/:\w+/, String(id));
}

export function hasId({ path }: Route): boolean {
  return path.includes(':');
}
