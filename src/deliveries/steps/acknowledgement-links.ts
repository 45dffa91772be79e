import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { StoredKeys } from '../../platform/secrets/stored-keys';

const [ID_BYTES, SIGNATURE_BYTES] = [8, 16];
/** Base64url of both, without a bit that means nothing: no two tokens are of one delivery. */
const TOKEN = /^[\w-]{32}$/;

/** Links with which whoever gets a delivery acknowledges its message. A token is the delivery's id and a signature: none is stored. */
@Injectable()
export class AcknowledgementLinks {
  constructor(
    private readonly keys: StoredKeys,
    private readonly config: Config,
  ) {}

  async urlOf(deliveryId: number): Promise<string> {
    const id = Buffer.alloc(ID_BYTES);
    id.writeBigUInt64BE(BigInt(deliveryId));
    const token = Buffer.concat([id, await this.sign(id)]).toString('base64url');
    return `${this.config.publicUrl}/acknowledge/${token}`;
  }

  /** The id of the delivery, without a query; undefined for a token that this installation hasn't made. */
  async deliveryOf(token: string): Promise<number | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    const [id, signature] = [bytes.subarray(0, ID_BYTES), bytes.subarray(ID_BYTES)];
    return timingSafeEqual(signature, await this.sign(id)) ? Number(id.readBigUInt64BE()) : undefined;
  }

  private async sign(id: Buffer): Promise<Buffer> {
    const key = await this.keys.load('acknowledgements');
    return createHmac('sha256', key).update(id).digest().subarray(0, SIGNATURE_BYTES);
  }
}
