import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type NextFunction, type Request, type Response } from 'express';
import { RequestError } from '../../common/errors';
import { methodNotAllowed } from './http-server';

const ROOT = join(__dirname, '..', '..', '..', '..');
/** The console built into `dist`, also when the service runs from its sources. */
const BUILT_FOLDER = basename(ROOT) === 'dist' ? join(ROOT, 'console') : join(ROOT, 'dist', 'console');

/** Scripts and styles come from files of this origin alone, and no page may frame it. */
const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
};

/** Paths that the console's own router handles: no dot in the last segment. */
const PAGE_PATH = /^\/(?:[^/]+\/){0,7}[^/.]*$/;

/** Serves the built console below `/console/`, without a key. `/` redirects browsers there by a relative URL, because a proxy may add a prefix. */
export function serveConsole(app: NestExpressApplication, folder = BUILT_FOLDER): void {
  const page = readPage(folder);
  const assets = join(folder, 'assets') + sep;
  const files = express.static(folder, {
    index: false,
    redirect: false,
    acceptRanges: false,
    setHeaders: (response, path) => setFileHeaders(response, path.startsWith(assets)),
  });
  app.use(/^\/$/, (request: Request, response: Response, next: NextFunction) => {
    if (prefersHtml(request)) response.redirect('console/');
    else next();
  });
  app.use('/console', (request: Request, response: Response, next: NextFunction) => {
    if (!isReadRequest(request)) throw methodNotAllowed(['GET', 'HEAD']);
    if (page === undefined) throw RequestError.of('not_found', 'The console is not built: the operator must run npm run build.');
    if (request.originalUrl.split('?')[0] === '/console') response.redirect('console/');
    else if (PAGE_PATH.test(request.path)) sendPage(request, response, page);
    else files(request, response, (error) => next(error ?? RequestError.of('not_found', 'There is nothing at this path.')));
  });
}

function readPage(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, 'index.html'), 'utf8');
  } catch {
    new Logger('Console').warn({ message: 'The console is not built, and is not served: run npm run build, or set CONSOLE=off.' });
    return undefined;
  }
}

function isReadRequest({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** False for a client that accepts any type, which gets the API's 404. */
function prefersHtml(request: Request): boolean {
  return isReadRequest(request) && request.accepts(['json', 'html']) === 'html';
}

/** Sent from memory, with an ETag of the content: npm gives all files of a package the same modification time. */
function sendPage(request: Request, response: Response, page: string): void {
  const html = withRelativeLinks(page, request.path);
  const tag = createHash('sha256').update(html).digest('base64url').slice(0, 22);
  setFileHeaders(response, false);
  response.setHeader('ETag', `"${tag}"`);
  response.type('html').send(html);
}

/** The page's links are relative to `/console/`; deeper paths need a `..` per level. */
function withRelativeLinks(page: string, path: string): string {
  const depth = path.split('/').length - 2;
  return depth === 0 ? page : page.replaceAll('="./', `="${'../'.repeat(depth)}`);
}

/** Assets are cached for a year: their names contain a hash of their content. */
function setFileHeaders(response: Response, isAsset: boolean): void {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
  response.setHeader('Cache-Control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
}
