const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** RFC 4648, in lower case, without padding; whole groups of five bits only. */
export function base32(bytes: Uint8Array): string {
  let [text, buffer, bits] = ['', 0, 0];
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(buffer >> (bits - 5)) & 31];
  }
  return text;
}
