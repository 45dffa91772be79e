import { createClient, type components, type FrontdeskClient, FrontdeskError } from '../../../client/src/client';
import { API_URL } from './addresses';

export { type FrontdeskClient as Api, FrontdeskError } from '../../../client/src/client';
export type Schemas = components['schemas'];

/** Retries that a person would wait for. */
const RULES = { retries: 2, maxWait: 5, timeout: 30 };
/** The feed retries by itself, and says meanwhile that the connection is lost. */
const LIVE_RULES = { retries: 0, timeout: 60 };

interface Connection {
  api: FrontdeskClient;
  liveApi: FrontdeskClient;
  /** Once the key is signed out: what is answered later happens to nobody, as the next key may be another account's. */
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
