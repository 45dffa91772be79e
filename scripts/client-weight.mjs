// Fails when the built client weighs more than 12 KB with openapi-fetch, gzipped; not minified, so a bundle weighs less.
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';

const MAX_BYTES = 12_288;
const folder = new URL('../client/dist/', import.meta.url);
const own = readdirSync(folder).filter((name) => name.endsWith('.js'));
const files = [...own.map((name) => new URL(name, folder)), new URL(import.meta.resolve('openapi-fetch'))];
const bytes = gzipSync(Buffer.concat(files.map((file) => readFileSync(fileURLToPath(file))))).length;
console.log(`The client: ${bytes} bytes, gzipped`);
if (bytes > MAX_BYTES) process.exitCode = 1;
