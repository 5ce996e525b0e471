import type { CheckedResponse } from "../../support/service/checked-request.ts";
import { perform } from "../../support/service/operations.ts";
import type { TestService } from "../../support/service/service.ts";
import type { PreparedRequest, Scenario } from "./scenarios.ts";
import { difference, snapshot, withoutCounts } from "./snapshot.ts";

/** One call of an operation, which is found again in another run: the second BatchGetItem, for example. */
export interface Place {
  readonly operation: string;
  readonly nth: number;
}

/** A fault, and whether it meets only one call or also all of its kind after it. */
export interface Strike<Fault> {
  readonly name: string;
  readonly fault: Fault;
  readonly forGood: boolean;
  /** Whether the write may have taken effect although the caller was told that it failed. */
  readonly leavesDoubt?: true;
}

export type Hit<Fault> = Strike<Fault> & Place;

/**
 * Runs something while calls about these partitions meet a fault, waits until none of them can have an effect any more,
 * and returns their operations.
 */
export type FaultPeriod<Fault> = (
  partitions: readonly string[],
  hit: Hit<Fault> | undefined,
  action: () => Promise<void>,
) => Promise<string[]>;

/**
 * Number of operations that begin at once without a fault. Few: a function that is loaded only now takes time from the others, and those
 * wait 1.5 s for the provider's keys.
 */
export const firstRunsAtOnce = 4;

/** Course of an operation without a fault. */
export interface Baseline {
  readonly before: string[];
  readonly after: string[];
  readonly status: number;
  readonly usedObjects: number;
  readonly places: Place[];
}

/** The response under a fault, and what is stored afterwards. */
interface Outcome {
  readonly response: CheckedResponse;
  readonly state: string[];
}

/** Runs scenarios with and without faults, and says what went wrong. */
export class Trial<Fault> {
  readonly #service: TestService;
  readonly #during: FaultPeriod<Fault>;
  readonly #usual = new Map<Scenario, Baseline>();

  constructor(service: TestService, during: FaultPeriod<Fault>) {
    this.#service = service;
    this.#during = during;
  }

  /** Course of the scenario without a fault; it is run once for that. */
  async usual(scenario: Scenario): Promise<Baseline> {
    const known = this.#usual.get(scenario);
    if (known) return known;
    const prepared = await scenario.prepare(this.#service);
    const before = await this.#state(scenario, prepared);
    let status = 0;
    const operations = await this.#during(prepared.partitions, undefined, async () => {
      ({ status } = await perform(prepared.caller, prepared.operation));
    });
    const after = await this.#state(scenario, prepared);
    const usedObjects = await this.#usedObjects(prepared);
    const usual = { before, after, status, usedObjects, places: placesOf(operations) };
    this.#usual.set(scenario, usual);
    return usual;
  }

  /** Runs a scenario with a new caller under a fault. */
  async disturbed(scenario: Scenario, prepared: PreparedRequest, hit: Hit<Fault>): Promise<Outcome> {
    let response: CheckedResponse | undefined;
    const operations = await this.#during(prepared.partitions, hit, async () => {
      response = await perform(prepared.caller, prepared.operation);
    });
    const made = operations.filter((operation) => operation === hit.operation).length;
    if (made < hit.nth) throw new Error(`only ${made} ${hit.operation}: the fault met none`);
    return { response: response as CheckedResponse, state: await this.#state(scenario, prepared) };
  }

  async #state({ countsFirst }: Scenario, { partitions }: PreparedRequest): Promise<string[]> {
    const state = await snapshot(this.#service, partitions);
    return countsFirst ? state.filter((item) => !item.includes('"PK":"LEDGER#')).map(withoutCounts) : state;
  }

  /** Fault of a scenario under an injected failure, or of the same request afterwards; undefined: none. */
  async complaint(scenario: Scenario, hit: Hit<Fault>): Promise<string | undefined> {
    const usual = await this.usual(scenario);
    const prepared = await scenario.prepare(this.#service);
    const outcome = await this.disturbed(scenario, prepared, hit);
    return (
      aboutResponse(scenario, usual, hit, outcome) ??
      (await this.#aboutRetry(scenario, prepared, usual, outcome)) ??
      (scenario.countsFirst && (await this.#aboutCounts(prepared, usual, outcome)))
    );
  }

  /** An attempt that failed may leave one object counted that is not stored, in the project and in its account. */
  async #aboutCounts(prepared: PreparedRequest, { status, usedObjects }: Baseline, { response }: Outcome) {
    const surplus = (await this.#usedObjects(prepared)) - usedObjects;
    const isExplained = surplus === 0 || (surplus === 2 && response.status !== status);
    return isExplained ? undefined : `${surplus} objects too many are counted after ${response.status}`;
  }

  /** The sum of the counts of objects of the projects and their account. */
  async #usedObjects({ partitions }: PreparedRequest): Promise<number> {
    const state = await snapshot(this.#service, partitions);
    return state.reduce((sum, item) => sum + Number(/"usedObjects":(\d+)/.exec(item)?.[1] ?? 0), 0);
  }

  async #aboutRetry(scenario: Scenario, prepared: PreparedRequest, usual: Baseline, { response, state }: Outcome) {
    const { before, after, status } = usual;
    if (response.status === status) return undefined;
    const happened = isSame(state, after) && !isSame(before, after);
    const { status: second } = await perform(prepared.caller, prepared.operation);
    if (second !== (happened ? (scenario.secondResponse ?? status) : status)) return `the retry got ${second}`;
    if (happened && scenario.hasTwoEffects) return undefined;
    const afterRetry = await this.#state(scenario, prepared);
    return isSame(afterRetry, after) ? undefined : `after the retry:\n${difference(afterRetry, after)}`;
  }
}

function aboutResponse(
  { inSteps }: Scenario,
  { before, after, status }: Baseline,
  hit: Strike<unknown>,
  { response, state }: Outcome,
) {
  const happened = isSame(state, after);
  if (!happened && !inSteps && !isSame(state, before)) return `it happened in part:\n${difference(state, after)}`;
  if (response.status === status) return happened ? undefined : `${status}, though it did not happen`;
  if (!hit.forGood) return `${response.status}, though another attempt would have helped`;
  if (!isHonestRefusal(response)) return `${response.status} ${JSON.stringify(response.body)}`;
  const isRead = isSame(before, after);
  return happened && !isRead && !hit.leavesDoubt ? "503, though it happened and nothing was in doubt" : undefined;
}

/** A fault of the service: the caller did nothing wrong, and another attempt may succeed. */
export function isHonestRefusal({ status, headers, body }: CheckedResponse): boolean {
  // OAuth's own errors have no `code` (RFC 6749, section 5.2).
  const code = body.code ?? body.error;
  return status === 503 && code === "temporarily_unavailable" && Number(headers.get("retry-after")) > 0;
}

export function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.join("\n") === b.join("\n");
}

function placesOf(operations: readonly string[]): Place[] {
  const counts = new Map<string, number>();
  return operations.map((operation) => {
    const nth = (counts.get(operation) ?? 0) + 1;
    counts.set(operation, nth);
    return { operation, nth };
  });
}

/** Counts the calls of an operation and says which of them meet a fault. */
export function strikesAt<Fault>(hit: Hit<Fault> | undefined): (operation: string) => Fault | undefined {
  let count = 0;
  return (operation) => {
    if (operation !== hit?.operation) return undefined;
    count += 1;
    return count === hit.nth || (hit.forGood && count > hit.nth) ? hit.fault : undefined;
  };
}
