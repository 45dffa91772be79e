import { createHmac, timingSafeEqual } from 'node:crypto';

/** A place in the log: before the event with this number and id. */
export interface Position {
  epoch: string;
  number: number;
  id: number;
}

const MAC_BYTES = 16;
const SHAPE = /^([0-9a-f]{1,16})\.(\d{1,16})\.(\d{1,16})\.([A-Za-z0-9_-]+)$/;

/** An opaque text, good for one account of one installation. */
export function encodeCursor({ epoch, number, id }: Position, accountId: number, secret: string): string {
  const text = `${epoch}.${number}.${id}`;
  return Buffer.from(`${text}.${macOf(text, accountId, secret).toString('base64url')}`).toString('base64url');
}

/** Undefined for a text that isn't a cursor of this account and installation. */
export function decodeCursor(cursor: string, accountId: number, secret: string): Position | undefined {
  const [, epoch, number, id, mac] = SHAPE.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (mac === undefined) return undefined;
  const [given, expected] = [Buffer.from(mac, 'base64url'), macOf(`${epoch}.${number}.${id}`, accountId, secret)];
  const isGenuine = given.length === expected.length && timingSafeEqual(given, expected);
  return isGenuine ? { epoch, number: Number(number), id: Number(id) } : undefined;
}

function macOf(text: string, accountId: number, secret: string): Buffer {
  return createHmac('sha256', secret).update(`event cursor\0${accountId}\0${text}`).digest().subarray(0, MAC_BYTES);
}
