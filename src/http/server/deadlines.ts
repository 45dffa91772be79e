/**
 * Of a connection, in milliseconds: for its request line and headers, for a whole request, between two requests (longer than
 * a proxy's, commonly a minute, or the proxy sends into a connection that is closing), and how often they are looked at.
 */
export const DEADLINES = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000, connectionsCheckingInterval: 1_000 };
