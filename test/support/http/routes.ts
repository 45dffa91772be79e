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

/** The path of a route with this id in the place of each parameter. */
export function withId({ path }: Route, id: number | string): string {
  return path.replace(/:\w+/g, String(id));
}

export function hasId({ path }: Route): boolean {
  return path.includes(':');
}
