import { createClient, type components, type FrontdeskClient, FrontdeskError } from '../../../client/src/client';
import { API_URL } from './addresses';

export { type FrontdeskClient as Api, FrontdeskError } from '../../../client/src/client';
export type Schemas = components['schemas'];

/** Retries for as long as a user would wait. */
const RULES = { retries: 2, maxWait: 5, timeout: 30 };
/** No retries: the feed retries by itself, and meanwhile reports the lost connection. */
const LIVE_RULES = { retries: 0, timeout: 60 };

interface Connection {
  api: FrontdeskClient;
  liveApi: FrontdeskClient;
  /** Called on sign-out. Ignores responses that arrive later, because the next key may belong to another account. */
  close: () => void;
}

export function connect(key: string, onUnauthenticated: () => void): Connection {
  let isClosed = false;
  const fetch = async (request: Request): Promise<Response> => {
    const response = await globalThis.fetch(request);
    if (isClosed) return new Promise(() => {});
    if (response.status === 401) onUnauthenticated();
    return response;
  };
  const close = (): void => void (isClosed = true);
  const options = { url: API_URL.href, key, fetch };
  return { api: createClient({ ...options, ...RULES }), liveApi: createClient({ ...options, ...LIVE_RULES }), close };
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof FrontdeskError && error.code === code;
}
