import tls from 'node:tls';

/** Trusts one more authority until the end of the test, as NODE_EXTRA_CA_CERTS does from the start of a process. */
export function trustAuthority(certificate: string): void {
  const { createSecureContext } = tls;
  jest.spyOn(tls, 'createSecureContext').mockImplementation((options) => {
    const context = createSecureContext(options);
    (context.context as { addCACert(certificate: string): void }).addCACert(certificate);
    return context;
  });
}
