import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config';
import { addToKeyFile, readKeyFile, trimKeyFile } from './key-file';

export interface SecretsKey {
  id: string;
  key: Buffer;
}

/** The encryption keys in SECRETS_KEY or, on the embedded database without it, in the key file next to the database. */
@Injectable()
export class SecretsKeys {
  private readonly file?: string;
  private fileTime = 0;
  private keys: SecretsKey[];

  constructor({ secretsKeys, database }: Config) {
    if (secretsKeys.length === 0 && database.type === 'sqlite') this.file = `${database.file}.key`;
    this.keys = this.file ? this.read(this.file) : secretsKeys.map(withId);
  }

  /** The key to encrypt with. */
  get newest(): SecretsKey {
    return this.latest()[0];
  }

  find(id: string): SecretsKey | undefined {
    const hasId = (key: SecretsKey) => key.id === id;
    return this.keys.find(hasId) ?? this.latest().find(hasId);
  }

  /** Adds a key to the key file, if used; SECRETS_KEY is up to the operator. */
  addKey(): void {
    if (this.file) addToKeyFile(this.file);
  }

  /** Removes unused keys from the key file. */
  trim(): void {
    if (this.file) trimKeyFile(this.file);
  }

  /** `secrets rotate` changes the file while the service is running. */
  private latest(): SecretsKey[] {
    if (this.file && statSync(this.file).mtimeMs !== this.fileTime) this.keys = this.read(this.file);
    return this.keys;
  }

  private read(file: string): SecretsKey[] {
    this.fileTime = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0; // before reading, so as not to miss a change
    return readKeyFile(file).map(withId);
  }
}

function withId(key: Buffer): SecretsKey {
  return { id: createHash('sha256').update(key).digest('hex').slice(0, 8), key };
}
