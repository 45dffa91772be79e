import { execFileSync } from 'node:child_process';
import { isIP } from 'node:net';
import { join } from 'node:path';

const NEW_KEY = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];

/** Makes `<name>.pem` and `<name>.key` in a folder: a CA of its own. */
export function makeAuthority(folder: string, name: string): void {
  openssl(folder, name, `/CN=${name}`);
}

/** Makes `<name>.pem` and `<name>.key`: a certificate of that CA for a host name or address. */
export function makeCertificate(folder: string, name: string, authority: string, host: string): void {
  const signer = ['-CA', join(folder, `${authority}.pem`), '-CAkey', join(folder, `${authority}.key`)];
  openssl(folder, name, `/CN=${host}`, [
    ...signer,
    '-addext',
    `subjectAltName=${isIP(host) ? 'IP' : 'DNS'}:${host}`,
    '-addext',
    'basicConstraints=critical,CA:FALSE',
  ]);
}

function openssl(folder: string, name: string, subject: string, more: string[] = []): void {
  const files = ['-out', join(folder, `${name}.pem`), '-keyout', join(folder, `${name}.key`)];
  execFileSync('openssl', [...NEW_KEY, '-subj', subject, ...files, ...more], { stdio: ['ignore', 'ignore', 'pipe'] });
}
