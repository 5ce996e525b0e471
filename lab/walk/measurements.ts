import { readFileSync } from "node:fs";
import type { CheckedResponse } from "../../test/support/service/checked-request.ts";
import type { Span } from "./claims.ts";

/** Counts of what was checked, so that a walk that checked nothing is seen. */
export const checked = {
  usesAfterRevocation: 0,
  creationsAtTheLimit: 0,
  publications: 0,
  lostRaces: 0,
  visits: 0,
  revokedPublications: 0,
  deletions: 0,
  replacements: 0,
  fullQuotas: 0,
  pointers: 0,
  ledgers: 0,
  outages: 0,
};

export type TimedResponse = CheckedResponse & { readonly span: Span };

/** Durations of requests, and memory of the service. */
export class Measurements {
  readonly #milliseconds = new Map<string, number[]>();
  readonly #megabytes: number[] = [];
  /** Requests that failed although nothing was wrong. */
  readonly errors: string[] = [];

  async timed(name: string, call: () => Promise<CheckedResponse>): Promise<TimedResponse> {
    const sentAt = performance.now();
    const response = await call();
    const respondedAt = performance.now();
    const list = this.#milliseconds.get(name) ?? [];
    list.push(respondedAt - sentAt);
    this.#milliseconds.set(name, list);
    return { ...response, span: { sentAt, respondedAt } };
  }

  /** Notes how much memory a process has now, if the operating system tells: only Linux has /proc. */
  noteMemory(pid: number | undefined): void {
    if (process.platform !== "linux") return;
    const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    if (kilobytes) this.#megabytes.push(Math.round(Number(kilobytes) / 1_024));
  }

  /** Memory of the last quarter of the time, as a multiple of the second's: 1 is flat. */
  get growth(): number {
    const quarter = Math.floor(this.#megabytes.length / 4);
    if (quarter === 0) return 1;
    return median(this.#megabytes.slice(-quarter)) / median(this.#megabytes.slice(quarter, 2 * quarter));
  }

  lines(): string[] {
    const row = ([name, list]: readonly [string, readonly number[]]) =>
      `${name.padEnd(24)} ${String(list.length).padStart(9)} ${shown(list, 0.5)} ${shown(list, 0.99)} ${shown(list, 1)}`;
    return [
      `${"milliseconds".padEnd(24)}     count     p50     p99     max`,
      ...[...this.#milliseconds].toSorted(([, a], [, b]) => b.length - a.length).map(row),
      `${this.errors.length} errors; memory of the service: ${median(this.#megabytes)} MB, growth ${this.growth.toFixed(2)}`,
    ];
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

export function expectStatus({ status, body }: CheckedResponse, ...expected: number[]): void {
  if (!expected.includes(status)) throw new Error(`${status} ${JSON.stringify(body)}, not ${expected.join(" or ")}`);
}

export function claim(broken: string | undefined): void {
  if (broken !== undefined) throw new Error(`BROKEN CLAIM: ${broken}`);
}
