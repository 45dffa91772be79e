// What tests of extensions and of API clients import from 'frontdesk/testing'. docs/testing.md describes it.
import { Sandbox, type SandboxOptions } from './sandbox/sandbox';

export type { Answer, AnswerRule } from './sandbox/answers';
export type { DnsAnswer } from './sandbox/names';
export type { Override } from './sandbox/overrides';
export type { Sent, SentFilter } from './sandbox/recorder';
export type { Sandbox, SandboxOptions } from './sandbox/sandbox';
export type { AccountOptions, SandboxAccount } from './sandbox/sandbox-accounts';

/** Starts the whole service in this process, with the world outside replaced. Stop it when the tests are done. */
export function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  return Sandbox.start(options);
}
