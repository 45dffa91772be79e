import { createClient, type components, type FrontdeskClient, FrontdeskError } from '../../../client/src/client';
import { API_URL } from './addresses';

export { type FrontdeskClient as Api, FrontdeskError } from '../../../client/src/client';
export type Schemas = components['schemas'];

/** Retries that a person would wait for. */
const RULES = { retries: 2, maxWait: 5, timeout: 30 };
/** The feed retries by itself, and says meanwhile that the connection is lost. */
const LIVE_RULES = { retries: 0, timeout: 60 };

export function connect(key: string, onUnauthenticated: () => void): { api: FrontdeskClient; liveApi: FrontdeskClient } {
  const fetch = async (request: Request): Promise<Response> => {
    const response = await globalThis.fetch(request);
    if (response.status === 401) onUnauthenticated();
    return response;
  };
  const options = { url: API_URL.href, key, fetch };
  return { api: createClient({ ...options, ...RULES }), liveApi: createClient({ ...options, ...LIVE_RULES }) };
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof FrontdeskError && error.code === code;
}
