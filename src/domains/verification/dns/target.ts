import { canonicalAddress, withoutDot } from '../../../platform/common/hosts';
import type { EdgeTarget } from '../../../platform/config/value-types';
import type { DnsQueries } from './dns-queries';

const MAX_CNAMES = 8;

/** Where a host points, compared with where it should. */
export type TargetFinding = 'right' | 'missing' | 'unreachable' | ElsewhereFinding;

export interface ElsewhereFinding {
  /** The CNAMEs, in order. */
  names: string[];
  /** Addresses that are not the target's. */
  addresses: string[];
}

/** Values from the DNS answers; complete if every query was answered. */
interface DnsValues {
  values: string[];
  isComplete: boolean;
}

/** `right` if the host's CNAMEs include the target's name, or all of its addresses are the target's. */
export async function findTarget(queries: DnsQueries, host: string, target: EdgeTarget): Promise<TargetFinding> {
  const name = 'name' in target ? target.name : undefined;
  const cnames = await followCnames(queries, host, name);
  if (name !== undefined && cnames.values.includes(name)) return 'right';
  const [own, wanted] = await Promise.all([resolveAddresses(queries, host), resolveTarget(queries, target)]);
  const others = own.values.filter((address) => !wanted.values.includes(address));
  const isNameKnown = cnames.isComplete || name === undefined;
  if (own.values.length === 0) {
    if (!own.isComplete || !cnames.isComplete) return 'unreachable';
    return cnames.values.length === 0 ? 'missing' : { names: cnames.values, addresses: [] };
  }
  if (others.length === 0) return own.isComplete ? 'right' : 'unreachable';
  return isNameKnown && wanted.isComplete ? { names: cnames.values, addresses: others } : 'unreachable';
}

/** Stops at the target, at a repeated name, or after MAX_CNAMES. */
async function followCnames(queries: DnsQueries, host: string, target?: string): Promise<DnsValues> {
  const values: string[] = [];
  for (let name = host; values.length < MAX_CNAMES && name !== target;) {
    const answer = await queries.ask(name, 'CNAME');
    if (!answer) return { values, isComplete: false };
    if (answer.length === 0) break;
    name = withoutDot(answer[0].toLowerCase());
    if (name === host || values.includes(name)) break;
    values.push(name);
  }
  return { values, isComplete: true };
}

export async function resolveAddresses(queries: DnsQueries, name: string): Promise<DnsValues> {
  const answers = await Promise.all([queries.ask(name, 'A'), queries.ask(name, 'AAAA')]);
  return { values: answers.flatMap((answer) => answer ?? []).map(canonicalAddress), isComplete: !answers.includes(undefined) };
}

function resolveTarget(queries: DnsQueries, target: EdgeTarget): Promise<DnsValues> {
  if ('name' in target) return resolveAddresses(queries, target.name);
  return Promise.resolve({ values: target.addresses.map(canonicalAddress), isComplete: true });
}
