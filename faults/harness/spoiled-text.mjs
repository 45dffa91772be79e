import { integer, noise } from './random.mjs';

export function encoded(text) {
  return Array.from(text, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
}

export function cut(random, text) {
  return text.slice(0, integer(random, 1, text.length - 1));
}

export function changed(random, text) {
  const at = integer(random, 0, text.length - 1);
  return text.slice(0, at) + noise(random, integer(random, 0, 3)) + text.slice(at + integer(random, 0, 3));
}
