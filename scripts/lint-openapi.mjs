// Lints the OpenAPI document of the built application with redocly and spectral; warnings fail, too.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { fetchDocument, withApplication } from './with-application.mjs';

const REDOCLY = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
const REDOCLY_RULES = fileURLToPath(new URL('../redocly.yaml', import.meta.url));

await withApplication(async ({ address, folder }) => {
  const text = await fetchDocument(address);
  const file = join(folder, 'openapi.json');
  writeFileSync(file, text);
  const passes = [lintWithRedocly(file), await lintWithSpectral(text)];
  process.exitCode = passes.every(Boolean) ? 0 : 1;
});

function lintWithRedocly(file) {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { status, error } = spawnSync(process.execPath, [REDOCLY, 'lint', file, '--config', REDOCLY_RULES], { stdio: 'inherit', env });
  if (error) throw error;
  return status === 0;
}

/** The same as `spectral:oas` of spectral's command line, which would add 60 packages. */
async function lintWithSpectral(text) {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [rulesets.oas] });
  const findings = await linter.run(text);
  for (const { code, path, message } of findings) console.error(`spectral: ${code} at ${path.join('/')}: ${message}`);
  console.log(`spectral: ${findings.length} findings`);
  return findings.length === 0;
}
