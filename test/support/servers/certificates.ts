import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';

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

interface Signing {
  subject: string;
  extensions: string[];
  /** Days from now. */
  from?: number;
  until?: number;
}

/** Makes `<name>.pem` and `<name>.key`, signed by a certificate of the folder, or by itself: with exactly these extensions and dates. */
export function sign(folder: string, name: string, signer: string, { subject, extensions, from = -1, until = 60 }: Signing): void {
  const [certificate, key, request] = ['pem', 'key', 'csr'].map((ending) => join(folder, `${name}.${ending}`));
  run(['req', '-new', ...EC_KEY, '-nodes', '-subj', `/CN=${subject}`, '-out', request, '-keyout', key]);
  const settings = `[x]\n${extensions.join('\n')}\n[p]\ncommonName=supplied\n[c]\ndatabase=${folder}/index\nnew_certs_dir=${folder}\nrand_serial=yes\n`;
  writeFileSync(join(folder, 'ca.conf'), `${settings}policy=p\ndefault_md=sha256\nunique_subject=no\n`);
  writeFileSync(join(folder, 'index'), '');
  const issuer = signer === name ? ['-selfsign'] : ['-cert', join(folder, `${signer}.pem`)];
  run([
    'ca',
    '-batch',
    '-notext',
    '-config',
    join(folder, 'ca.conf'),
    '-name',
    'c',
    '-extensions',
    'x',
    '-in',
    request,
    '-out',
    certificate,
    ...issuer,
    '-keyfile',
    join(folder, `${signer}.key`),
    '-startdate',
    dateIn(from),
    '-enddate',
    dateIn(until),
  ]);
}

/** `YYYYMMDDHHMMSSZ`. */
function dateIn(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().replace(/\.\d+|\W|T/g, '');
}

function openssl(folder: string, name: string, subject: string, key: string[], more: string[] = []): void {
  const files = ['-out', join(folder, `${name}.pem`), '-keyout', join(folder, `${name}.key`)];
  run(['req', '-x509', ...key, '-nodes', '-subj', subject, ...files, ...more]);
}

function run(args: string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Trusts one more authority until the end of the test, as NODE_EXTRA_CA_CERTS does from the start of a process. */
export function trustAuthority(certificate: string): void {
  const { createSecureContext } = tls;
  jest.spyOn(tls, 'createSecureContext').mockImplementation((options) => {
    const context = createSecureContext(options);
    (context.context as { addCACert(certificate: string): void }).addCACert(certificate);
    return context;
  });
}
