// What tests of extensions and of API clients import from 'frontdesk/testing'. docs/testing.md describes it.
export type { DnsAnswer } from './sandbox/names';
export type { Answer, AnswerRule, Sent, SentFilter } from './sandbox/recorder';
export type { Sandbox } from './sandbox/sandbox';
export type { AccountOptions, SandboxAccount } from './sandbox/sandbox-accounts';
export { type Override, type SandboxOptions, startSandbox } from './sandbox/start-sandbox';
