import { unescape } from 'node:querystring';

type FieldListener = (name: string, value: string, info: { encoding: string }) => void;

/** Decodes base64 and quoted-printable values of multipart fields (RFC 2045, 6), which busboy and multer leave as they are. */
export function decodeFields<T extends NodeJS.WritableStream>(busboy: T): T {
  const listeners = busboy.listeners('field') as FieldListener[];
  const decode: FieldListener = (name, value, info) =>
    listeners.forEach((listen) => listen(name, decodeTransfer(value, info.encoding), info));
  return busboy.removeAllListeners('field').on('field', decode);
}

/** Text in UTF-8 from its base64 or quoted-printable form; any other is returned unchanged. */
export function decodeTransfer(value: string, encoding?: string): string {
  if (encoding === 'base64') return Buffer.from(value, 'base64').toString();
  if (encoding !== 'quoted-printable') return value;
  const joined = value.replace(/=\r?\n/g, '').replaceAll('%', '%25');
  return unescape(joined.replace(/=([0-9A-F]{2})/gi, '%$1'));
}
