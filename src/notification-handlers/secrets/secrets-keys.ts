import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config';
import { addToKeyFile, readKeyFile, trimKeyFile } from './key-file';

export interface SecretsKey {
  id: string;
  key: Buffer;
}

/** The encryption keys of SECRETS_KEY or, on the embedded database, by default of the file beside it. */
@Injectable()
export class SecretsKeys {
  private readonly file?: string;
  private fileTime = 0;
  private keys: SecretsKey[];

  constructor({ secretsKeys, database }: Config) {
    if (secretsKeys.length === 0 && database.type === 'sqlite') this.file = `${database.file}.key`;
    this.keys = this.file ? this.read(this.file) : secretsKeys.map(withId);
  }

  /** The key to encrypt under. */
  get newest(): SecretsKey {
    return this.latest()[0];
  }

  find(id: string): SecretsKey | undefined {
    const hasId = (key: SecretsKey) => key.id === id;
    return this.keys.find(hasId) ?? this.latest().find(hasId);
  }

  /** Adds a key to the file; the operator changes SECRETS_KEY. */
  addKey(): void {
    if (this.file) addToKeyFile(this.file);
  }

  /** Removes unused keys from the file. */
  trim(): void {
    if (this.file) trimKeyFile(this.file);
  }

  /** The command line changes the file while the service runs. */
  private latest(): SecretsKey[] {
    if (this.file && statSync(this.file).mtimeMs !== this.fileTime) this.keys = this.read(this.file);
    return this.keys;
  }

  private read(file: string): SecretsKey[] {
    this.fileTime = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0; // before reading, not to miss a change
    return readKeyFile(file).map(withId);
  }
}

function withId(key: Buffer): SecretsKey {
  return { id: createHash('sha256').update(key).digest('hex').slice(0, 8), key };
}
