import { isIPv4 } from 'node:net';
import type { EdgeTarget } from '../../config/domain-settings';

/** A DNS record, without a dot at the end, quotes or TTL. */
export interface RecordToSet {
  type: 'TXT' | 'CNAME' | 'A' | 'AAAA';
  name: string;
  value: string;
}

/** The record that proves who owns a host. */
export function txtRecord(host: string, token: string): RecordToSet {
  return { type: 'TXT', name: `_frontdesk.${host}`, value: `frontdesk=${token}` };
}

/** The records that point a host to the target; none without a target. */
export function targetRecords(host: string, target?: EdgeTarget): RecordToSet[] {
  if (!target) return [];
  if ('name' in target) return [{ type: 'CNAME', name: host, value: target.name }];
  return target.addresses.map((value) => ({ type: isIPv4(value) ? 'A' : 'AAAA', name: host, value }));
}
