import type { Page } from '../../common/page';

/** A page as lists answer it; `link` gives the address of a page, whose number comes in digits, however great it is. */
export function pageEnvelope<T>({ records, total, request: { page, size } }: Page<T>, link: (page: string) => string) {
  const totalPages = Math.ceil(total / size);
  const last = Math.max(totalPages, 1);
  const linkTo = (number: number) => link(BigInt(number).toString());
  return {
    data: records,
    meta: { page, results_per_page: size, total, total_pages: totalPages },
    links: {
      first: linkTo(1),
      last: linkTo(last),
      next: page < totalPages ? linkTo(page + 1) : null,
      prev: page > 1 ? linkTo(Math.min(page - 1, last)) : null,
      self: linkTo(page),
    },
  };
}
