interface Page {
  data: unknown[];
  meta: { page: number; total_pages: number } | { next: string; has_more: boolean };
}

type Query = Record<string, unknown>;
type Read = (query: Query) => Promise<unknown>;

/** All pages from the query's on. Lists are paged by number, events by cursor. */
export async function* readPages(read: Read, query: Query): AsyncGenerator<Page, void, undefined> {
  for (let next: Query | undefined = query; next;) {
    const page = (await read(next)) as Page;
    yield page;
    const following = followingPage(page.meta);
    next = following && { ...query, ...following };
  }
}

function followingPage(meta: Page['meta']): Query | undefined {
  if ('next' in meta) return meta.has_more ? { after: meta.next } : undefined;
  return meta.page < meta.total_pages ? { page: meta.page + 1 } : undefined;
}
