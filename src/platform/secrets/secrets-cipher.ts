import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Config, ConfigError } from '../config/config';

interface SecretsKey {
  id: string;
  key: Buffer;
}

/** The encryption keys from SECRETS_KEY or, if that is unset and the database is embedded, from the key file next to the database. */
@Injectable()
export class SecretsKeys {
  private readonly file?: string;
  private fileModifiedMs = 0;
  private keys: SecretsKey[];

  constructor(config: Config) {
    const { secretsKeys } = config;
    this.file = keyFileOf(config);
    this.keys = this.file ? this.read(this.file) : secretsKeys.map(withId);
  }

  /** The key to encrypt with. */
  get newest(): SecretsKey {
    return this.latestKeys()[0];
  }

  find(id: string): SecretsKey | undefined {
    const hasId = (key: SecretsKey) => key.id === id;
    return this.keys.find(hasId) ?? this.latestKeys().find(hasId);
  }

  /** Adds a key to the key file, if used; SECRETS_KEY is up to the operator. */
  addKey(): void {
    if (this.file) changeKeyFile(this.file, (keys) => [randomBytes(KEY_BYTES), ...keys]);
  }

  /** Removes all but two keys from the key file: the newest, and the previous one, which a concurrent write may have used. */
  dropOldKeys(): void {
    if (this.file) changeKeyFile(this.file, (keys) => keys.slice(0, 2));
  }

  /** Rereads the key file if it has changed: `secrets rotate` changes it while the service is running. */
  private latestKeys(): SecretsKey[] {
    if (this.file && statSync(this.file).mtimeMs !== this.fileModifiedMs) this.keys = this.read(this.file);
    return this.keys;
  }

  private read(file: string): SecretsKey[] {
    this.fileModifiedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0; // before reading, so as not to miss a change
    return readKeyFile(file).map(withId);
  }
}

/** Undefined when the keys are in SECRETS_KEY. */
export function keyFileOf({ secretsKeys, database }: Config): string | undefined {
  return secretsKeys.length === 0 && database.type === 'sqlite' ? `${database.file}.key` : undefined;
}

function withId(key: Buffer): SecretsKey {
  return { id: createHash('sha256').update(key).digest('hex').slice(0, 8), key };
}

const KEY_BYTES = 32;

/** Reads the keys, newest first. Creates the file with a new key if it doesn't exist. */
function readKeyFile(file: string): Buffer[] {
  if (!existsSync(file)) createKeyFile(file);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const keys = lines.map((line) => Buffer.from(line, 'base64'));
  if (keys.every(({ length }) => length === KEY_BYTES)) return keys;
  throw new ConfigError(`Each line of the key file ${file} must be ${KEY_BYTES} bytes in base64.`);
}

function changeKeyFile(file: string, change: (keys: Buffer[]) => Buffer[]): void {
  renameSync(writeDraft(file, change(readKeyFile(file))), file);
}

/** Copies the keys to another key file. @throws ConfigError when that file exists with other keys */
export function copyKeyFile(from: string, to: string): void {
  const keys = readKeyFile(from);
  if (existsSync(to) && !isDeepStrictEqual(readKeyFile(to), keys))
    throw new ConfigError(`The key file ${to} has other keys: move it away.`);
  renameSync(writeDraft(to, keys), to);
}

/** link(2) is atomic and fails when the file exists, so concurrent starts share the first one's key. */
function createKeyFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 }); // opening the database also creates this folder, but may happen later
  const draft = writeDraft(file, [randomBytes(KEY_BYTES)]);
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}

function writeDraft(file: string, keys: Buffer[]): string {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, keys.map((key) => `${key.toString('base64')}\n`).join(''), { mode: 0o600, flag: 'wx', flush: true });
  return draft;
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12; // NIST SP 800-38D, 5.2.1.1
const NONCE_CHARACTERS = (NONCE_BYTES * 4) / 3; // in base64
const TAG_BYTES = 16;

/**
 * Encrypts settings and secrets as `<key id>.<base64 of nonce, tag and ciphertext>`. The account id is authenticated, so
 * that a value copied into another account's row can't be decrypted. For values without an account, the id is 0.
 */
@Injectable()
export class SecretsCipher {
  constructor(private readonly keys: SecretsKeys) {}

  encrypt(text: string, accountId: number, nonce = randomBytes(NONCE_BYTES)): string {
    const { id, key } = this.keys.newest;
    const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(additionalData(accountId));
    const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `${id}.${Buffer.concat([nonce, cipher.getAuthTag(), bytes]).toString('base64')}`;
  }

  /** Re-encrypts with the newest key. Keeps the nonce, which entity tags depend on; being random, it is unique under the new key, too. */
  reencrypt(value: string, accountId: number): string {
    return this.encrypt(this.decrypt(value, accountId), accountId, Buffer.from(nonceOf(value), 'base64'));
  }

  isNewest(value: string): boolean {
    return keyIdOf(value) === this.keys.newest.id;
  }

  hasKeyFor(value: string): boolean {
    return this.keys.find(keyIdOf(value)) !== undefined;
  }

  /** @throws Error when the key is unknown or the value was tampered with */
  decrypt(value: string, accountId: number): string {
    const [id, data] = value.split('.');
    const entry = this.keys.find(id);
    if (!entry) throw new Error(`The key ${id}, which encrypts a stored secret, is missing: restore it to SECRETS_KEY or the key file.`);
    const bytes = Buffer.from(data, 'base64');
    const decipher = createDecipheriv(ALGORITHM, entry.key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(additionalData(accountId))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  }
}

/** The nonce of an encrypted value, in base64: new with every write of the settings, unchanged by a key rotation. */
export function nonceOf(value: string): string {
  return value.split('.')[1].slice(0, NONCE_CHARACTERS);
}

function keyIdOf(value: string): string {
  return value.split('.')[0];
}

function additionalData(accountId: number): Buffer {
  return Buffer.from(`account:${accountId}`);
}
