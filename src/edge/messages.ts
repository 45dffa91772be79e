import type { HostChange, LiveDomain } from '../domains/live-domains';

/** What requests came to. `no_url`: a live domain without a URL for this path, or with one that leads to itself. */
export const OUTCOMES = ['index', 'not_found_url', 'no_url', 'unknown', 'ask_yes', 'ask_no', 'unavailable', 'refused'] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** Requests by outcome. */
export type Counts = Record<Outcome, number>;

/** What the thread is started with. */
export interface EdgeThreadOptions {
  /** A bound socket, which all workers share. */
  fd: number;
  logLevel: string;
}

/**
 * To the thread. `reset`: the hosts are loaded anew, in `domains`; `changes` go on meanwhile. `synced`: what it has is what the database
 * had a moment ago. `found`: those of the last `query` that are live; without `domains`, the database did not answer.
 */
export type MessageToThread =
  | { type: 'listen' | 'reset' | 'synced' | 'stop' }
  | { type: 'domains'; domains: LiveDomain[]; isLast: boolean }
  | { type: 'changes'; changes: HostChange[] }
  | { type: 'found'; domains?: LiveDomain[] };

/** From the thread. `ready`, then an answer to `listen`: `listening` or `failed`. One `query` at a time. `counts` are those since the last report. */
export type MessageFromThread =
  | { type: 'ready' | 'listening' }
  | { type: 'failed'; code?: string; message: string }
  | { type: 'query'; hosts: string[] }
  | { type: 'report'; counts: Counts; hosts: number };
