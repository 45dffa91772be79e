import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config';
import { addToKeyFile, readOrCreateKeyFile, trimKeyFile } from './key-file';

export interface SecretsKey {
  id: string;
  key: Buffer;
}

/** The keys that settings are encrypted under: those of SECRETS_KEY, or on the embedded database those of the file beside it. */
@Injectable()
export class SecretsKeys {
  private keys: SecretsKey[];
  private readonly file?: string;
  private fileTime = 0;

  constructor({ secretsKeys, database }: Config) {
    if (secretsKeys.length === 0 && database.type === 'sqlite') this.file = `${database.file}.key`;
    this.keys = this.file ? this.read() : secretsKeys.map(named);
  }

  /** The key that encrypts. */
  get newest(): SecretsKey {
    this.readAgain();
    return this.keys[0];
  }

  find(id: string): Buffer | undefined {
    return this.among(id) ?? (this.readAgain() ? this.among(id) : undefined);
  }

  /** Makes a new key when they are the file's; those of SECRETS_KEY are the operator's to change. */
  renew(): void {
    if (this.file) addToKeyFile(this.file);
  }

  /** Lets go of the keys that nothing is stored under any more. */
  trim(): void {
    if (this.file) trimKeyFile(this.file);
  }

  private among(id: string): Buffer | undefined {
    return this.keys.find((key) => key.id === id)?.key;
  }

  /** The command line renews the file while the service runs. */
  private readAgain(): boolean {
    if (!this.file || statSync(this.file).mtimeMs === this.fileTime) return false;
    this.keys = this.read();
    return true;
  }

  private read(): SecretsKey[] {
    this.fileTime = statSync(this.file!, { throwIfNoEntry: false })?.mtimeMs ?? 0; // before it is read: it may be renewed just now
    return readOrCreateKeyFile(this.file!).map(named);
  }
}

function named(key: Buffer): SecretsKey {
  return { id: createHash('sha256').update(key).digest('hex').slice(0, 8), key };
}
