/** What is not a list is answered under `data`; by a function, for a route without an interceptor is answered in less time (bench/RESULTS.md). */
export async function asData<T>(result: Promise<T>): Promise<{ data: T }> {
  return { data: await result };
}
