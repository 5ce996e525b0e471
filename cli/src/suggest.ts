/** The one of `known` that is nearest to `typed`: what begins so, or has at most a third of its characters wrong; undefined if none is. */
export function closest(typed: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const word of known) {
    const distance = word.startsWith(typed) && typed.length >= 2 ? 1 : editDistance(typed, word);
    if (distance < bestDistance) [best, bestDistance] = [word, distance];
  }
  return best;
}

/**
 * Words after a command as people may have meant them: one argument too many is the project, as `game`, `ada/game` or `ada/game:web`.
 *
 * @param taken how many arguments the command takes
 */
export function withProject(words: readonly string[], taken: number): readonly string[] {
  const end = words.findIndex((word) => word.startsWith("-"));
  const args = end === -1 ? words : words.slice(0, end);
  const [project, ...others] = args.slice(taken);
  if (project === undefined || others.length > 0) return words;
  const [slug = ""] = project.split("/").at(-1)?.split(":") ?? [];
  return [...args.slice(0, taken), "--project", slug, ...words.slice(args.length)];
}

/** A command line of svc to copy. A word that only quotes could carry through every shell is shown as `…`. */
export function commandLine(words: readonly string[]): string {
  const safe = (word: string) => (/^[\w@%+=:,./ -]+$/.test(word) ? word : "…");
  return ["svc", ...words.map(safe)].join(" ");
}

/** Optimal string alignment distance: an insertion, deletion, replacement or swap of adjacent characters counts one. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      let distance = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        distance = Math.min(distance, at(beforeLast, j - 2) + 1);
      row.push(distance);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
