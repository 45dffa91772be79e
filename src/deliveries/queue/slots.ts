/**
 * Why an attempt needs a slot. `fast` and `slow`: the lane's last attempt took up to a second, or longer. `untried`: none of the
 * lane has ended. `first`: nor is one at work.
 */
export type SlotUse = 'fast' | 'slow' | 'untried' | 'first';

interface Usage {
  all: number;
  /** All but `fast`: the receiver may hang for 10 s. */
  unproven: number;
  first: number;
}

const SHARE = 1 / 2;
const UNPROVEN_SHARE = 1 / 8;
/** The rest stays free for `fast` and `first`. */
const UNPROVEN = 3 / 4;

/** A process's slots for attempts, shared among accounts so that receivers that hang leave some for others. */
export class Slots {
  private readonly accounts = new Map<number, Usage>();
  private readonly total = noUsage();
  private dueAccounts: ReadonlySet<number> = new Set();

  constructor(private readonly max: number) {}

  get isFull(): boolean {
    return this.total.all >= this.max;
  }

  get hasRoomForSlow(): boolean {
    return !this.isFull && this.total.unproven < part(this.max, UNPROVEN);
  }

  /** For a plan that may fail, while these accounts have something due. */
  copy(dueAccounts: ReadonlySet<number>): Slots {
    const copy = new Slots(this.max);
    for (const [account, usage] of this.accounts) copy.accounts.set(account, { ...usage });
    Object.assign(copy.total, this.total);
    copy.dueAccounts = dueAccounts;
    return copy;
  }

  usedBy(accountId: number): number {
    return this.accounts.get(accountId)?.all ?? 0;
  }

  /** Returns false when no slot is free for this use. */
  tryTake(accountId: number, use: SlotUse): boolean {
    if (!this.isFree(accountId, use)) return false;
    this.take(accountId, use);
    return true;
  }

  take(accountId: number, use: SlotUse): void {
    const usage = this.accounts.get(accountId) ?? noUsage();
    this.accounts.set(accountId, usage);
    for (const each of [usage, this.total]) add(each, use, 1);
  }

  release(accountId: number, use: SlotUse): void {
    const usage = this.accounts.get(accountId)!;
    for (const each of [usage, this.total]) add(each, use, -1);
    if (usage.all === 0) this.accounts.delete(accountId);
  }

  private isFree(accountId: number, use: SlotUse): boolean {
    const { all, unproven, first } = this.accounts.get(accountId) ?? noUsage();
    if (this.isFull || all >= this.shareOf(accountId)) return false;
    if (use === 'fast') return true;
    if (unproven >= part(this.max, UNPROVEN_SHARE)) return false;
    return this.hasRoomForSlow || (use === 'first' && first === 0);
  }

  private shareOf(accountId: number): number {
    const isAlone = this.dueAccounts.size === 0 || (this.dueAccounts.size === 1 && this.dueAccounts.has(accountId));
    return isAlone ? this.max : part(this.max, SHARE);
  }
}

function noUsage(): Usage {
  return { all: 0, unproven: 0, first: 0 };
}

function add(usage: Usage, use: SlotUse, count: 1 | -1): void {
  usage.all += count;
  if (use !== 'fast') usage.unproven += count;
  if (use === 'first') usage.first += count;
}

function part(max: number, share: number): number {
  return Math.max(1, Math.floor(max * share));
}
