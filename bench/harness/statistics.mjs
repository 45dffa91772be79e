/** The figures of all rounds on one database. Unmeasured ones are undefined. */
export class Figures {
  constructor(all) {
    this.all = all;
  }

  median(work, server, what) {
    return median(this.#of(work, server).map((figure) => figure[what]));
  }

  /** The median of the rounds' ratios: a slow minute of the machine affects both. */
  ratio(what, [work, server], [otherWork, otherServer]) {
    const others = new Map(this.#of(otherWork, otherServer).map((figure) => [figure.round, figure[what]]));
    const both = this.#of(work, server).filter(({ round }) => others.has(round));
    return median(both.map((figure) => figure[what] / others.get(figure.round)));
  }

  /** Ratio of two values of the same measurement. */
  ratioWithin(work, server, what, other) {
    return median(this.#of(work, server).map((figure) => figure[what] / figure[other]));
  }

  #of(work, server) {
    return this.all.filter((figure) => figure.work === work && figure.server === server);
  }
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length === 0) return undefined;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
}
