import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Api } from '../api/api';
import type { Identity, Scope } from './scopes';
import { readJson, store } from './storage';

export interface Session {
  api: Api;
  /** For long polling; doesn't retry. */
  liveApi: Api;
  /** A hash of the key, which names its locks and channels in this browser. */
  fingerprint: string;
  /** The account and the key that are signed in. */
  identity: Identity;
  may: (scope: Scope) => boolean;
  signOut: () => void;
}

export interface StoredSession extends Identity {
  key: string;
}

const STORAGE_KEY = 'frontdesk.session';

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession is for pages, which are shown once a key is known.');
  return session;
}

/** The key is stored only in this tab's sessionStorage. */
export function restore(): StoredSession | undefined {
  const { key, account, scopes, ...rest } = readJson(sessionStorage.getItem(STORAGE_KEY)) as Partial<StoredSession>;
  return key && account && Array.isArray(scopes) ? ({ key, account, scopes, ...rest } as StoredSession) : undefined; // another build may have stored less
}

export function keep(session: StoredSession): void {
  store(STORAGE_KEY, JSON.stringify(session));
}

export function forget(): void {
  sessionStorage.removeItem(STORAGE_KEY);
}

/** 64 bits of FNV-1a: Web Crypto's digest is unavailable on plain HTTP. */
export function fingerprintOf(key: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const character of key) hash = BigInt.asUintN(64, (hash ^ BigInt(character.codePointAt(0) ?? 0)) * 0x100000001b3n);
  return hash.toString(16);
}
