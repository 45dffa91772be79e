/** By the public suffix list, including private suffixes such as github.io; otherwise the last two labels. */
export async function registrableDomain(host: string): Promise<string> {
  const { getDomain } = await import('tldts'); // 200 kB, loaded with the first check
  return getDomain(host, { allowPrivateDomains: true }) ?? host.split('.').slice(-2).join('.');
}
