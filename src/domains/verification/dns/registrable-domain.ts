import { getDomain } from 'tldts';

/** By the public suffix list, including private suffixes such as github.io; otherwise the last two labels. */
export function registrableDomain(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host.split('.').slice(-2).join('.');
}
