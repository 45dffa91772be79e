const SIZE = 1000;
const PART = 100; // pages; a tenth of a shorter walk

/** Follows `links.next` from the first page to the end. Returns the milliseconds of the first and the last part. */
export async function walk({ address, publicUrl }, { key, count }) {
  const pages = count / SIZE;
  const part = Math.min(PART, pages / 10);
  const ends = [performance.now()];
  let next = `${publicUrl}/api/domains?&page=1&results_per_page=${SIZE}`;
  let records = 0;
  while (next) {
    const response = await fetch(next.replace(publicUrl, address), { headers: { Authorization: `Bearer ${key}` } });
    const { data, links } = await response.json();
    records += data.length;
    next = links.next;
    ends.push(performance.now());
  }
  if (records !== count) throw new Error(`The walk found ${records} of ${count} records.`);
  return { pages, part, first: ends[part] - ends[0], last: ends.at(-1) - ends.at(-1 - part), whole: ends.at(-1) - ends[0] };
}
