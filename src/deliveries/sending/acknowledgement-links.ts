import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { StoredKeys } from '../../platform/secrets/stored-keys';
import type { Delivery } from '../delivery.entity';

/** Of the row in `stored_keys`. */
const KEY_ID = 2;
const [ID_BYTES, PART_BYTES, SIGNATURE_BYTES] = [8, 6, 16];
/** Mail and chat programs leave a last `-` or `_` of the base64url out of a link, and take in the punctuation behind it. */
const END = 'A';
const TOKEN = new RegExp(`^([\\w-]{40})${END}[^A-Za-z0-9]*$`);

type LinkedId = Pick<Delivery, 'id' | 'part'>;

/**
 * Links with which whoever gets a delivery acknowledges its message. A token is the delivery's id, its part, since a restored backup
 * repeats ids, and a signature: none is stored.
 */
@Injectable()
export class AcknowledgementLinks {
  private readonly key: () => Promise<Buffer>;

  constructor(
    keys: StoredKeys,
    private readonly config: Config,
  ) {
    this.key = keys.take(KEY_ID);
  }

  async urlOf({ id, part }: LinkedId): Promise<string> {
    const name = Buffer.alloc(ID_BYTES + PART_BYTES);
    name.writeBigUInt64BE(BigInt(id));
    name.write(part, ID_BYTES, 'hex');
    const token = Buffer.concat([name, await this.sign(name)]).toString('base64url');
    return `${this.config.publicUrl}/acknowledge/${token}${END}`;
  }

  /** The delivery, without a query; undefined for a token that this installation hasn't made. */
  async deliveryOf(token: string): Promise<LinkedId | undefined> {
    const [, signed] = TOKEN.exec(token) ?? [];
    if (signed === undefined) return undefined;
    const bytes = Buffer.from(signed, 'base64url');
    const [name, signature] = [bytes.subarray(0, -SIGNATURE_BYTES), bytes.subarray(-SIGNATURE_BYTES)];
    if (!timingSafeEqual(signature, await this.sign(name))) return undefined;
    return { id: Number(name.readBigUInt64BE()), part: name.toString('hex', ID_BYTES) };
  }

  private async sign(name: Buffer): Promise<Buffer> {
    const key = await this.key();
    return createHmac('sha256', key).update(name).digest().subarray(0, SIGNATURE_BYTES);
  }
}
