import { readFileSync } from "node:fs";

/** Collects what a soak run measures. */
export class Measurements {
  readonly #milliseconds = new Map<string, number[]>();
  readonly #memory: number[] = [];
  readonly errors: string[] = [];

  /** Notes how long a call took. */
  note(call: string, milliseconds: number): void {
    const list = this.#milliseconds.get(call);
    if (list) list.push(milliseconds);
    else this.#milliseconds.set(call, [milliseconds]);
  }

  /** Notes how much memory a process has now, where the operating system tells. */
  noteMemory(pid: number | undefined): void {
    try {
      const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      if (kilobytes) this.#memory.push(Number(kilobytes) / 1_024);
    } catch {
      // Only Linux has /proc.
    }
  }

  /** How many times as much memory the last quarter of the run took as the second: 1 is flat. */
  get growth(): number {
    const quarter = Math.floor(this.#memory.length / 4);
    if (quarter === 0) return 1;
    return median(this.#memory.slice(-quarter)) / median(this.#memory.slice(quarter, 2 * quarter));
  }

  lines(seconds: number): string[] {
    const calls = [...this.#milliseconds].toSorted(([, a], [, b]) => b.length - a.length);
    const all = calls.flatMap(([, list]) => list);
    const row = (name: string, list: readonly number[]) =>
      `${name.padEnd(24)} ${String(list.length).padStart(9)} ${shown(list, 0.5)} ${shown(list, 0.99)} ${shown(list, 1)}`;
    return [
      `${all.length} requests in ${Math.round(seconds)} s: ${Math.round(all.length / seconds)} a second, ${this.errors.length} errors`,
      `${"milliseconds".padEnd(24)}     count     p50     p99     max`,
      row("all", all),
      ...calls.map(([name, list]) => row(name, list)),
      this.#memory.length > 0
        ? `memory of the service in MB: ${this.#tenths().join(" ")}; the last quarter has ${this.growth.toFixed(2)} times the second's`
        : "memory of the service: not known",
    ];
  }

  /** The memory at each tenth of the run. */
  #tenths(): number[] {
    return Array.from({ length: 10 }, (_, index) =>
      Math.round(this.#memory[Math.floor(((index + 1) / 10) * (this.#memory.length - 1))] ?? 0),
    );
  }
}

function shown(list: readonly number[], share: number): string {
  return quantile(list, share).toFixed(1).padStart(7);
}

function quantile(list: readonly number[], share: number): number {
  const sorted = Float64Array.from(list).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function median(list: readonly number[]): number {
  return quantile(list, 0.5);
}
