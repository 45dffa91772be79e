import { join } from 'node:path';

export const BENCH = join(import.meta.dirname, '..');
export const ROOT = join(BENCH, '..');

/** A script of the service's production build. */
export const built = (script) => join(ROOT, 'dist/src', script);
