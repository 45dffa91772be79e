export const ADDRESSES: readonly string[];
export const URLS: readonly string[];
