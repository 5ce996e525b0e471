/** Does something with each item, a few at the same time, and returns the results in the order in which they came. */
export async function inTurn<Item, Result>(
  atOnce: number,
  items: readonly Item[],
  action: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const rest = [...items];
  const results: Result[] = [];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) results.push(await action(item));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
