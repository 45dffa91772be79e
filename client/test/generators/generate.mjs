// Run in the folder where the generators are installed: `node generate.mjs <document>` writes a client with each.
import { createClient } from '@hey-api/openapi-ts';
import { generate } from 'orval';
import { generateApi } from 'swagger-typescript-api';

const [document] = process.argv.slice(2);
const baseUrl = { getBaseUrlFromSpecification: true };
await generate({ input: { target: document }, output: { target: 'orval-client.ts', client: 'fetch', baseUrl } });
await createClient({ input: document, output: 'hey-api-client', logs: { level: 'silent', file: false } });
await generateApi({ input: document, output: import.meta.dirname, fileName: 'swagger-typescript-api-client.ts', silent: true });
