/** In milliseconds. Longer keep-alive than a proxy's idle timeout (commonly 60 s), or it would send into a closing connection. */
export const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000, connectionsCheckingInterval: 1_000 };

/** Socket idle timeout while a client is not reading. In milliseconds. */
export const STALLED_MS = 60_000;
