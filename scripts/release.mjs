// Makes what a machine runs: the build, production packages without what Node never loads, the docs and ops/.
//   npm run release                      release/frontdesk-<version>-linux-<arch>.tar.gz, and the packages of the client and of the extension
//   npm run release -- --folder <path>   the files alone
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const FILES = [
  'package.json',
  'package-lock.json',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'LICENSE',
  '.env.example',
  'docs',
  'ops',
  'compose.yaml',
];
/** For development: source maps, typings, and the build of dist. */
const UNUSED = /\.(map|d\.[cm]?ts|tsbuildinfo)$/;
/** Below node_modules: packages that others declare for development, other builds of a package, and the largest tests. */
const UNUSED_FOLDERS = ['typescript', '@types', 'bintrees/test', ...['esm', 'iife', 'umd'].map((build) => `csv-parse/dist/${build}`)];

const EXTENSION = join('extensions', 'calendar');

const { values } = parseArgs({ options: { folder: { type: 'string' } } });
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const name = `frontdesk-${version}`;
const folder = values.folder ?? join('release', name);

run('npm', ['run', '--silent', 'build']);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const file of FILES) cpSync(file, join(folder, file), { recursive: true, filter: (source) => !source.endsWith('.vitepress') });
cpSync('dist', join(folder, 'dist'), { recursive: true });
run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--prefix', folder]);
prune(folder);
describePackages(folder);
symlinkSync('..', join(folder, 'node_modules', 'frontdesk')); // for extensions in folders below this one
if (!values.folder) {
  const archive = join('release', `${name}-linux-${process.arch}.tar.gz`);
  run('tar', ['--create', '--gzip', '--owner=0', '--group=0', '--mode=a+rX', '--file', archive, '--directory', 'release', name]);
  rmSync(folder, { recursive: true });
  console.log(archive);
  run('npm', ['install', '--prefix', EXTENSION, '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--legacy-peer-deps']);
  run('node_modules/.bin/tsc', ['--project', join(EXTENSION, 'tsconfig.build.json')]);
  for (const packed of ['./client', `./${EXTENSION}`]) run('npm', ['pack', packed, '--pack-destination', 'release']);
}

function run(command, parameters) {
  execFileSync(command, parameters, { stdio: ['ignore', 'ignore', 'inherit'] });
}

function prune(folder) {
  for (const each of UNUSED_FOLDERS) rmSync(join(folder, 'node_modules', each), { recursive: true, force: true });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && UNUSED.test(entry.name)) rmSync(join(entry.parentPath, entry.name));
  }
}

/**
 * What is in the archive, for scanners and for lawyers. Not by `npm sbom --omit dev`: npm 11 leaves out every package that a package for
 * development needs, too, here 118 of 187, Nest and Express among them.
 */
function describePackages(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8'));
  const paths = Object.keys(packages).filter((path) => existsSync(join(folder, path, 'package.json')));
  const components = paths.map((path) => {
    const { name, version, license, licenses } = JSON.parse(readFileSync(join(folder, path, 'package.json'), 'utf8'));
    const former = licenses?.map(({ type }) => type).join(' OR '); // npm's form until 2014
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return { type: 'library', name, version, purl, licenses: [{ license: { name: license ?? former ?? `see ${path}` } }] };
  });
  const service = { type: 'application', name: 'frontdesk', version };
  const sbom = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, metadata: { component: service }, components };
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`);
  const lines = components.map(({ name, version, licenses: [{ license }] }) => `${name} ${version} ${license.name}\n`);
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES'), [...new Set(lines)].sort().join(''));
}
