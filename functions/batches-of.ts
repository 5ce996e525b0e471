/** The members of a list in batches of at most `length` each, in their order. */
export function batchesOf<T>(all: readonly T[], length: number): (readonly T[])[] {
  const count = Math.ceil(all.length / length);
  return Array.from({ length: count }, (_, index) => all.slice(index * length, (index + 1) * length));
}
