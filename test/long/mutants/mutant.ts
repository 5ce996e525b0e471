/** One replacement in a source file that a test must notice. */
export interface Mutant {
  readonly file: string;
  /** Is in the file exactly once. */
  readonly original: string;
  readonly replacement: string;
  /** Paths of the tests of which one must fail, as jest takes them: as few as can notice it. */
  readonly tests: string;
  /** Only tests whose names match are run. */
  readonly name: string | undefined;
}

/** What stands in the file once, what takes its place, and a pattern for the names of the tests that are run: by default all. */
type Replacement = readonly [original: string, replacement: string, name?: string];

export function mutantsOf(file: string, tests: string, replacements: readonly Replacement[]): Mutant[] {
  return replacements.map(([original, replacement, name]) => ({ file, original, replacement, tests, name }));
}
