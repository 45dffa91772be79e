import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { StoredKeys } from '../../platform/secrets/stored-keys';
import type { Delivery } from '../delivery.entity';

/** Id of the HMAC key's row in `stored_keys`. */
const KEY_ID = 2;
const [ID_BYTES, PART_BYTES, SIGNATURE_BYTES] = [8, 6, 16];
/**
 * Ends each token in a letter, because mail and chat programs that detect links drop a trailing `-` or `_`. They may also include the
 * punctuation after the link, which TOKEN ignores.
 */
const TOKEN_END = 'A';
const TOKEN = new RegExp(`^([\\w-]{40})${TOKEN_END}[^A-Za-z0-9]*$`);

type TokenPayload = Pick<Delivery, 'id' | 'part'>;

/**
 * Links with which a delivery's recipient acknowledges its message. A token holds the delivery's id, its `part` (a restored backup
 * repeats ids) and a signature, so tokens needn't be stored.
 */
@Injectable()
export class AcknowledgementLinks {
  private readonly key: () => Promise<Buffer>;

  constructor(
    keys: StoredKeys,
    private readonly config: Config,
  ) {
    this.key = keys.reserve(KEY_ID);
  }

  async urlOf({ id, part }: TokenPayload): Promise<string> {
    const payload = Buffer.alloc(ID_BYTES + PART_BYTES);
    payload.writeBigUInt64BE(BigInt(id));
    payload.write(part, ID_BYTES, 'hex');
    const token = Buffer.concat([payload, await this.sign(payload)]).toString('base64url');
    return `${this.config.publicUrl}/acknowledge/${token}${TOKEN_END}`;
  }

  /** Reads the delivery from the token, without a query. Undefined unless this installation signed it. */
  async decodeToken(token: string): Promise<TokenPayload | undefined> {
    const [, encoded] = TOKEN.exec(token) ?? [];
    if (encoded === undefined) return undefined;
    const bytes = Buffer.from(encoded, 'base64url');
    const [payload, signature] = [bytes.subarray(0, -SIGNATURE_BYTES), bytes.subarray(-SIGNATURE_BYTES)];
    if (!timingSafeEqual(signature, await this.sign(payload))) return undefined;
    return { id: Number(payload.readBigUInt64BE()), part: payload.toString('hex', ID_BYTES) };
  }

  private async sign(payload: Buffer): Promise<Buffer> {
    const key = await this.key();
    return createHmac('sha256', key).update(payload).digest().subarray(0, SIGNATURE_BYTES);
  }
}
