/** Runs at most `slots` tasks at once; the others wait in order. */
export function createSemaphore(slots: number) {
  let free = slots;
  const queue: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else await new Promise<void>((resume) => queue.push(resume));
    try {
      return await work();
    } finally {
      const next = queue.shift(); // gets this slot
      if (next) next();
      else free++;
    }
  };
}
