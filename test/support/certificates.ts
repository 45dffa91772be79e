import { execFileSync } from 'node:child_process';
import { isIP } from 'node:net';
import { join } from 'node:path';

const EC_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
export const RSA_KEY = ['-newkey', 'rsa:2048'];

/** Makes `<name>.pem` and `<name>.key` in a folder: a CA of its own. */
export function makeAuthority(folder: string, name: string): void {
  openssl(folder, name, `/CN=${name}`, EC_KEY, ['-days', '90']);
}

/** Makes `<name>.pem` and `<name>.key`: a certificate of that CA for a host name or address. */
export function makeCertificate(folder: string, name: string, authority: string, host: string, key = EC_KEY, days = 1): void {
  const signer = ['-CA', join(folder, `${authority}.pem`), '-CAkey', join(folder, `${authority}.key`)];
  openssl(folder, name, `/CN=${host}`, key, [
    ...signer,
    '-addext',
    `subjectAltName=${isIP(host) ? 'IP' : 'DNS'}:${host}`,
    '-addext',
    'basicConstraints=critical,CA:FALSE',
    '-days',
    String(days),
  ]);
}

function openssl(folder: string, name: string, subject: string, key: string[], more: string[] = []): void {
  const files = ['-out', join(folder, `${name}.pem`), '-keyout', join(folder, `${name}.key`)];
  execFileSync('openssl', ['req', '-x509', ...key, '-nodes', '-subj', subject, ...files, ...more], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}
