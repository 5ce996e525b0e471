/** One update of the store. */
export interface Update {
  readonly at: number;
  /** Each key with its value from then on; undefined: none. */
  readonly changes: readonly (readonly [string, string | undefined])[];
}

/** The copy of a key-value store at one edge location, which is behind the store by a time of its own. */
export class EdgeCopy {
  readonly #values: Map<string, string>;
  readonly #updates: readonly Update[];
  readonly #delayMilliseconds: number;
  #next: number;

  constructor(values: ReadonlyMap<string, string>, updates: readonly Update[], delayMilliseconds: number) {
    this.#values = new Map(values);
    this.#updates = updates;
    this.#next = updates.length;
    this.#delayMilliseconds = delayMilliseconds;
  }

  /** The value of a key as this location knows it now; undefined if it knows none. */
  get(key: string): string | undefined {
    for (;;) {
      const update = this.#updates[this.#next];
      if (update === undefined || update.at + this.#delayMilliseconds > Date.now()) return this.#values.get(key);
      for (const [changed, value] of update.changes) {
        if (value === undefined) this.#values.delete(changed);
        else this.#values.set(changed, value);
      }
      this.#next += 1;
    }
  }
}
