// Exports for tests of extensions and of API clients, as 'frontdesk/testing'; see docs/guides/testing-with-the-sandbox.md.
import { createRequire } from 'node:module';
import type * as starting from './start-sandbox';

export type { DnsAnswer } from './name-servers';
export type { Sandbox } from './sandbox';
export type { AccountOptions, Answer, AnswerRule, SandboxAccount, Sent, SentFilter, TlsAnswer } from './sandbox.dto';
export type { Override, SandboxOptions } from './start-sandbox';

/** Global property with the `startSandbox` that Node has loaded, set by Jest's environment (`frontdesk/testing/jest`). */
export const LOADED_START_SANDBOX = Symbol.for('frontdesk.startSandbox');

/** Starts the whole service in this process, with clock, sockets and name servers replaced. Stop it when the tests are done. */
export const startSandbox: typeof starting.startSandbox = (options) => {
  const loaded = (globalThis as { [LOADED_START_SANDBOX]?: typeof starting.startSandbox })[LOADED_START_SANDBOX];
  return (loaded ?? load().startSandbox)(options);
};

/** Requires the sandbox only when called, because Jest's loader would fail on an import. */
function load(): typeof starting {
  return createRequire(__filename)('./start-sandbox') as typeof starting;
}
