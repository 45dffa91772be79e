// Fails when the scripts and styles of the built console weigh more than 150 KB, each gzipped as it is sent.
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const MAX_BYTES = 153_600;
const folder = new URL('../dist/console/assets/', import.meta.url);
const files = readdirSync(folder).filter((name) => /\.(js|css)$/.test(name));
const bytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, folder))).length, 0);
console.log(`The console: ${bytes} bytes in ${files.length} files, gzipped`);
if (files.length === 0 || bytes > MAX_BYTES) process.exitCode = 1;
