/** Milliseconds since 1970, with fractions; processes of one machine agree. */
export const now = () => performance.timeOrigin + performance.now();
