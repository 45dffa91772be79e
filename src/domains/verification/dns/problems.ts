import { isAllowed, MAX_HOST_LENGTH } from '../../../platform/common/hosts';
import type { EdgeTarget } from '../../../platform/config/value-types';
import type { Problem } from '../domain-verification.entity';
import type { ElsewhereFinding, TargetFinding } from './target';

const MAX_LISTED_ADDRESSES = 8;
const PRINTABLE_NAME = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/;
/** Quotes copied along with the value, typographic ones included. */
const QUOTES = /^["'`“”„«]+|["'`“”»]+$/g;

/**
 * The problem when no TXT record has the expected value. `added`: the domain that the DNS provider appended to an already complete name.
 */
export function txtProblem(name: string, expected: string, values: readonly string[], added?: string): Problem {
  if (name.length > MAX_HOST_LENGTH)
    return {
      code: 'txt_missing',
      detail: `The host is too long: no DNS name may have more than ${MAX_HOST_LENGTH} characters, and ${name} would.`,
    };
  if (values.length === 0)
    return {
      code: 'txt_missing',
      detail: `Set a TXT record at ${name} with the value in records; there is none.${doubledHint(name, added)}`,
    };
  const found = values.length === 1 ? '1 other value was found' : `${values.length} other values were found`;
  const detail = `The TXT record at ${name} must have the value in records; ${found}.${nearMissHint(expected, values)}`;
  return { code: 'txt_differs', detail };
}

/** Empty if the host points to the target. A CNAME is shown only to the owner (`isOwner`: the TXT record is right). */
export function targetProblems(host: string, target: EdgeTarget, finding: TargetFinding, isOwner: boolean): Problem[] {
  if (finding === 'right') return [];
  if (finding === 'unreachable') return [unreachableProblem(`the addresses of ${host}`)];
  const wanted =
    'name' in target
      ? `a CNAME record at ${host} with the value ${target.name}`
      : `the A and AAAA records at ${host} that are listed in records`;
  if (finding === 'missing') return [{ code: 'target_missing', detail: `Set ${wanted}; no address was found.` }];
  return [{ code: 'target_differs', detail: `Set ${wanted}; ${host} points elsewhere${describeElsewhere(finding, isOwner)}.` }];
}

/** `subject`: the queried records. */
export function unreachableProblem(subject: string): Problem {
  return { code: 'dns_unreachable', detail: `No name server answered for ${subject}. It will be checked again.` };
}

function doubledHint(name: string, added?: string): string {
  if (added === undefined) return '';
  return ` One was found at ${name}.${added}: your DNS provider adds .${added} to names, so enter ${name.slice(0, -added.length - 1)}.`;
}

function nearMissHint(expected: string, values: readonly string[]): string {
  const unquoted = values.map((value) => value.replace(QUOTES, '').trim());
  if (unquoted.includes(expected)) return ' One is right except for the quotes around it: remove them.';
  if (values.some((value) => value.toLowerCase() === expected)) return ' One is right except for its case: all letters must be lower-case.';
  if (!unquoted.some((value) => value.toLowerCase() === expected)) return '';
  return ' One is right except for its case and the quotes around it: all letters must be lower-case, without quotes.';
}

/** Omits addresses that are not public, which could reveal this service's network. */
function describeElsewhere({ names, addresses }: ElsewhereFinding, isOwner: boolean): string {
  const cname = isOwner ? names.slice(-1).map((name) => (PRINTABLE_NAME.test(name) ? name : 'an invalid host name')) : [];
  const shown = addresses.filter((address) => isAllowed(address, []));
  const more = addresses.length - Math.min(shown.length, MAX_LISTED_ADDRESSES);
  const items = [
    ...cname.map((name) => `by CNAME to ${name}`),
    ...shown.slice(0, MAX_LISTED_ADDRESSES),
    ...(more > 0 ? [`${more} ${shown.length > 0 ? 'more' : 'that can’t be shown'}`] : []),
  ];
  return items.length > 0 ? `: ${items.join(', ')}` : '';
}
