/** Speed of an upload over the last seconds: a person wants to know how long it takes from now on. */
export class Pace {
  #samples: { readonly at: number; readonly bytes: number }[] = [];

  /** @param bytes how many are sent by now; fewer than before if a file begins again */
  add(bytes: number, at: number): void {
    this.#samples = [...this.#samples.filter((sample) => at - sample.at <= windowMilliseconds), { at, bytes }];
  }

  /** Undefined until enough is known. */
  bytesPerSecond(): number | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || last.at - first.at < minMilliseconds) return undefined;
    const speed = ((last.bytes - first.bytes) / (last.at - first.at)) * 1_000;
    return speed > 0 ? speed : undefined;
  }
}

/** Seconds that the bytes that are left take at this speed. */
export function secondsLeft(sent: { bytes: number; totalBytes: number; bytesPerSecond: number }): number {
  return (sent.totalBytes - sent.bytes) / sent.bytesPerSecond;
}

const windowMilliseconds = 8_000;
const minMilliseconds = 1_500;
