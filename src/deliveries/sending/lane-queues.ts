import type { Claim } from '../queue/claim';

/** Claims without a place, by lane. The lanes take turns. */
export class LaneQueues<T extends { claim: Claim }> {
  size = 0;
  private readonly lanes = new Map<string, T[]>();

  push(waiting: T): void {
    const { lane } = waiting.claim;
    const queue = this.lanes.get(lane);
    if (queue) queue.push(waiting);
    else this.lanes.set(lane, [waiting]);
    this.size++;
  }

  /** The next one that may begin, by lane, since lanes and accounts have limits. */
  take(mayBegin: (claim: Claim) => boolean): T | undefined {
    for (const [lane, queue] of this.lanes) {
      if (!mayBegin(queue[0].claim)) continue;
      const next = queue.shift();
      this.lanes.delete(lane);
      if (queue.length > 0) this.lanes.set(lane, queue);
      this.size--;
      return next;
    }
    return undefined;
  }

  remove(isChosen: (waiting: T) => boolean): T[] {
    const removed: T[] = [];
    for (const [lane, queue] of this.lanes) {
      const left = queue.filter((each) => !isChosen(each));
      if (left.length === queue.length) continue;
      removed.push(...queue.filter(isChosen));
      if (left.length > 0) this.lanes.set(lane, left);
      else this.lanes.delete(lane);
    }
    this.size -= removed.length;
    return removed;
  }
}
