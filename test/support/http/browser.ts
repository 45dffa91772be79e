import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const FILES = [process.env.CHROMIUM_PATH ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
  '--no-sandbox', // the tests may run as root
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const file = FILES.find(existsSync);

/** Tests that need Chromium: without it they are skipped with a message, and fail in CI. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (file || process.env.CI === 'true') return describe(name, tests);
  const reason = `${name}: not tried in a browser. Set CHROMIUM_PATH, or install chromium.`;
  process.stderr.write(`\n${reason}\n`);
  test.skip(reason, () => undefined);
}

/** @throws Error where there is no Chromium */
export function launchBrowser(...flags: string[]): Promise<Browser> {
  if (!file) throw new Error('There is no Chromium: set CHROMIUM_PATH, or install chromium.');
  return chromium.launch({ executablePath: file, args: [...FLAGS, ...flags] });
}
