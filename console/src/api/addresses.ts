/** URL of the console, with a trailing slash. Derived from the script's URL, one folder below, because a proxy may add a prefix. */
export const CONSOLE_URL = import.meta.env.DEV
  ? new URL(import.meta.env.BASE_URL, location.href)
  : new URL(/* @vite-ignore */ '..', import.meta.url);

/** URL of the API. Not PUBLIC_URL, on which the API's `links` are based: that may have another origin. */
export const API_URL = new URL('..', CONSOLE_URL);

/** The router's base path, without a trailing slash. */
export const CONSOLE_PATH = CONSOLE_URL.pathname.replace(/\/$/, '');
