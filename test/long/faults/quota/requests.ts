import type { RecordedStore, StoreFault, StoreRequest } from "../../../support/store/store-recorder.ts";
import {
  type DynamodbRecorder,
  type Fault,
  isRead,
  type RecordedCall,
} from "../../../support/table/dynamodb-recorder.ts";

/** What happens to one request of an operation, to the table or to the store, by its number from 0 on. */
export interface Disturbance {
  readonly at: number;
  /**
   * before: it does not arrive. after: it takes effect and its response is lost. held: it waits for `until`. With `killed`
   * none of the later ones arrives: what is left is what a process leaves that is killed there.
   */
  readonly kind: "before" | "after" | "held";
  readonly killed?: boolean;
  /** How many requests in a row; 1 when left out. After 2, both attempts of the SDK, the table's client tries again. */
  readonly times?: number;
  readonly until?: () => Promise<void>;
}

/** A read changes nothing, so it is the same whether it does not arrive or its response is lost. */
export type RequestKind = "read" | "write" | "delete";

const storeKinds: Readonly<Record<StoreRequest["kind"], RequestKind>> = {
  delete: "delete",
  get: "read",
  list: "read",
  put: "write",
  begin: "write",
  uploads: "read",
  part: "write",
  parts: "read",
  complete: "write",
  abort: "delete",
};

/**
 * Disturbs the requests of operations that run at the same time, each on accounts and projects of its own.
 *
 * @returns a function that runs an operation, whose requests name one of `names`, and returns which requests it made
 */
export function disturbing(recorder: DynamodbRecorder, store: RecordedStore) {
  const running = new Map<string, (kind: RequestKind) => Decision>();
  const decided = (names: readonly string[], kind: RequestKind): Decision =>
    names.map((name) => running.get(name)).find((decide) => decide !== undefined)?.(kind);
  recorder.plan((call: RecordedCall) => {
    const names = JSON.stringify(call.input).matchAll(/"(?:ACCOUNT|PROJECT|LEDGER)#([\w-]+)"/g);
    return tableFault(
      decided(
        [...names].map(([, name]) => name as string),
        isRead(call) ? "read" : "write",
      ),
    );
  });
  store.plan(({ kind, path }: StoreRequest) => {
    const [, slug = ""] = /\/projects\/([\w-]+)\//.exec(path) ?? [];
    return storeFault(decided([slug], storeKinds[kind]));
  });
  return async (
    names: readonly string[],
    disturbance: Disturbance | undefined,
    action: () => Promise<void>,
  ): Promise<RequestKind[]> => {
    const kinds: RequestKind[] = [];
    const decide = (kind: RequestKind) => decisionAbout(kinds.push(kind) - 1, disturbance);
    for (const name of names) running.set(name, decide);
    try {
      await action();
    } finally {
      for (const name of names) running.delete(name);
    }
    return kinds;
  };
}

type Decision =
  | { readonly kind: "before" | "after" }
  | { readonly kind: "held"; readonly until: Promise<void> }
  | undefined;

function decisionAbout(number: number, disturbance: Disturbance | undefined): Decision {
  if (disturbance === undefined || number < disturbance.at) return undefined;
  if (number >= disturbance.at + (disturbance.times ?? 1)) return disturbance.killed ? { kind: "before" } : undefined;
  const { kind, until } = disturbance;
  return kind === "held" ? { kind, until: until?.() ?? Promise.resolve() } : { kind };
}

function tableFault(decision: Decision): Fault | undefined {
  if (decision === undefined) return undefined;
  if (decision.kind === "held") return { kind: "overtaken", by: decision.until };
  return { kind: decision.kind === "before" ? "unreachable" : "lose-response" };
}

function storeFault(decision: Decision): StoreFault | Promise<StoreFault> {
  if (decision === undefined) return undefined;
  if (decision.kind === "held") return decision.until.then(() => undefined);
  return decision.kind === "before" ? "break" : "lose-response";
}
