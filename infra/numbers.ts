/** The number in the name of a part of a stage's list. The first has none, so that a stage whose list grows keeps what it has. */
export function numberOf(index: number): string {
  return index === 0 ? "" : String(index + 1);
}
