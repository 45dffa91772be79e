import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Column, Entity, PrimaryColumn, type Repository } from 'typeorm';
import { SecretsCipher } from './secrets-cipher';

const KEY_BYTES = 32;
/** Account id to encrypt with: no account owns these keys. */
const NO_ACCOUNT = 0;

/** A key of this installation, from which tokens are derived. */
@Entity('stored_keys')
export class StoredKey {
  @PrimaryColumn({ type: 'int' })
  id: number;

  /** Encrypted. */
  @Column({ type: 'text' })
  secret: string;
}

/** Reads each key once per process: a rotation of the encryption key changes only how the key is stored. */
@Injectable()
export class StoredKeys {
  private readonly reservedIds = new Set<number>();

  constructor(
    @InjectRepository(StoredKey) private readonly keys: Repository<StoredKey>,
    private readonly cipher: SecretsCipher,
  ) {}

  /** Reserves the id for one provider, and returns a function that loads its key. @throws Error when the id is already reserved */
  reserve(id: number): () => Promise<Buffer> {
    if (this.reservedIds.has(id)) throw new Error(`Two providers take the stored key ${id}.`);
    this.reservedIds.add(id);
    let loaded: Promise<Buffer> | undefined;
    return () => {
      const reading = (loaded ??= this.read(id));
      reading.catch(() => (loaded = undefined));
      return reading;
    };
  }

  /** Creates the key on first use. If several processes do, the first key is kept. */
  private async read(id: number): Promise<Buffer> {
    const storedKey = await this.keys.findOneBy({ id });
    if (storedKey) return Buffer.from(this.cipher.decrypt(storedKey.secret, NO_ACCOUNT), 'base64');
    const secret = this.cipher.encrypt(randomBytes(KEY_BYTES).toString('base64'), NO_ACCOUNT);
    await this.keys.createQueryBuilder().insert().values({ id, secret }).orIgnore().execute();
    return this.read(id);
  }
}
