import { MAX_HOST_LENGTH, withoutDot } from '../../../common/host-name';

const CHARACTERS = /^[A-Za-z0-9.-]+$/; // toLowerCase turns a Kelvin sign into a k
const PORT = /:\d*$/;

/** The host in a Host header: without the port, as `hostOf`. */
export function hostOfHeader(value: string): string {
  return hostOf(value.includes(':') ? value.replace(PORT, '') : value);
}

/** In lower case, without a dot at the end. Empty for what no domain can have. */
export function hostOf(name: string): string {
  return name.length <= MAX_HOST_LENGTH + 1 && CHARACTERS.test(name) ? withoutDot(name.toLowerCase()) : '';
}
