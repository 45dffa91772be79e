import type { Receipt } from '../delivery.dto';

export function parseReceipt(json: string | null): Receipt | null {
  return json === null ? null : (JSON.parse(json) as Receipt);
}
