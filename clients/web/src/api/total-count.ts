/** How many rows there are on all pages. */
export function totalCount({ headers }: Response): number {
  return Number(headers.get('x-total-count'));
}
