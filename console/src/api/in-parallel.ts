/** Maps the items with at most `limit` concurrent calls. */
export async function inParallel<T, R>(items: readonly T[], map: (item: T) => Promise<R>, limit = 4): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await map(item);
  };
  await Promise.all(Array.from({ length: limit }, work));
  return results;
}
