// Writes client/src/schema.ts from the OpenAPI document of the built application; `--check` fails when it is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import generateTypes, { astToString } from 'openapi-typescript';
import * as prettier from 'prettier';
import { fetchDocument, withApplication } from './with-application.mjs';

const FILE = fileURLToPath(new URL('../client/src/schema.ts', import.meta.url));

await withApplication(async ({ address }) => {
  const source = await generate(await fetchDocument(address));
  if (!process.argv.includes('--check')) return writeFileSync(FILE, source);
  if (source === readFileSync(FILE, 'utf8')) return;
  console.error('client/src/schema.ts is stale: run `npm run client:schema`.');
  process.exitCode = 1;
});

async function generate(document) {
  const types = astToString(await generateTypes(document, { silent: true }));
  const { paths, components } = JSON.parse(document);
  const idempotent = idempotentPaths(paths).map((path) => `  '${path}',\n`);
  const source = `// Written by \`npm run client:schema\` from the OpenAPI document.\n\n${types}
/** The codes of the service without extensions. */
export type ServiceErrorCode = ${errorCodes(components)
    .map((code) => `'${code}'`)
    .join(' | ')};

/** Paths whose POST takes an Idempotency-Key. */
export const IDEMPOTENT_PATHS: ReadonlySet<string> = new Set([\n${idempotent.join('')}]);\n`;
  return prettier.format(source, { ...(await prettier.resolveConfig(FILE)), filepath: FILE });
}

function errorCodes({ schemas }) {
  const { code } = schemas.Errors.properties.errors.items.properties;
  return code.anyOf.flatMap((schema) => schema.enum ?? []);
}

function idempotentPaths(paths) {
  const takesKey = ({ post }) => post?.parameters.some(({ name }) => name === 'Idempotency-Key');
  return Object.keys(paths).filter((path) => takesKey(paths[path]));
}
