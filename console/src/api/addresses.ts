/** Of the console, with a slash at the end: its scripts lie one folder below, wherever a proxy has put it. */
export const CONSOLE_URL = import.meta.env.DEV
  ? new URL(import.meta.env.BASE_URL, location.href)
  : new URL(/* @vite-ignore */ '..', import.meta.url);

/** Of the interface. PUBLIC_URL, and with it the API's `links`, may be another origin. */
export const API_URL = new URL('..', CONSOLE_URL);

/** For the router, without a slash at the end. */
export const CONSOLE_PATH = CONSOLE_URL.pathname.replace(/\/$/, '');
