/** A seeded generator of numbers from 0 to 1 (mulberry32), so that findings can be reproduced. */
export function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const SEED = 20_261_121;

export function pick(random, values) {
  return values[Math.floor(random() * values.length)];
}

export function integer(random, least, most) {
  return least + Math.floor(random() * (most - least + 1));
}

/** Random bytes of this range, as a latin1 string. */
export function noise(random, length, least = 0, most = 255) {
  return Array.from({ length }, () => String.fromCharCode(integer(random, least, most))).join('');
}
