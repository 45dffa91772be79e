import type { Response } from 'express';

// Functions, where Nest would have interceptors: a route without one is answered in less time (bench/RESULTS.md).

/** What is not a list is answered under `data`. */
export async function asData<T>(result: Promise<T>): Promise<{ data: T }> {
  return { data: await result };
}

/** The same for a record that has been created; its address, below that of the list, stands in `Location` (RFC 9110, 10.2.2). */
export async function asCreated(
  result: Promise<{ id: number }>,
  response: Response,
  listAddress: string,
): Promise<{ data: { id: number } }> {
  const { data } = await asData(result);
  response.setHeader('Location', `${listAddress}/${data.id}`);
  return { data };
}
