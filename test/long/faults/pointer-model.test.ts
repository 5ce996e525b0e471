import { describe, expect, test } from "@jest/globals";
import { exploreStates, type Transition } from "./explore-states.ts";

/*
 * Tries on a model every order in which the calls of writers of one project's pointer can reach the table and the store at the
 * edge, while the project changes back and forth, with a stop of each writer between any two of them
 * (docs/decisions/0050-the-pointer.md).
 */

interface Writer {
  readonly at: "begin" | "first-read" | "second-read" | "write" | "delete" | "end";
  /** The changes that it has found waiting, one bit each. */
  readonly seen: number;
  readonly etag: number;
  readonly value: number;
}

interface State {
  /** What the project is: it changes between two states, so that one comes back. */
  readonly project: number;
  readonly changes: number;
  readonly waiting: number;
  readonly stored: number;
  readonly etag: number;
  readonly writers: readonly Writer[];
}

interface Rules {
  /** Whether the version is read before the project. */
  readonly versionFirst: boolean;
  /** Whether each write changes a key that nobody reads, so that the ETag changes even if the value stays. */
  readonly marks: boolean;
  /** Whether what waits is deleted after the write. */
  readonly deletesLast: boolean;
}

const protocol: Rules = { versionFirst: true, marks: true, deletesLast: true };
const maximumChanges = 3;
const idle: Writer = { at: "begin", seen: 0, etag: 0, value: 0 };

const readVersion = (state: State, writer: Writer): Writer => ({ ...writer, etag: state.etag });
const readProject = (state: State, writer: Writer): Writer => ({ ...writer, value: state.project });

/** What the next call of a writer does to it and to everything. */
function call(state: State, writer: Writer, rules: Rules): { readonly state: State; readonly writer: Writer } {
  const [first, second] = rules.versionFirst ? [readVersion, readProject] : [readProject, readVersion];
  const deleted = (seen: number): State => ({ ...state, waiting: state.waiting & ~seen });
  switch (writer.at) {
    case "begin": {
      const seen = state.waiting;
      const found: Writer = { ...idle, seen, at: seen === 0 ? "end" : "first-read" };
      return { state: rules.deletesLast ? state : deleted(seen), writer: found };
    }
    case "first-read":
      return { state, writer: { ...first(state, writer), at: "second-read" } };
    case "second-read":
      return { state, writer: { ...second(state, writer), at: "write" } };
    case "write": {
      if (writer.etag !== state.etag) return { state, writer: idle };
      const changes = rules.marks || writer.value !== state.stored;
      const written = { ...state, stored: writer.value, etag: state.etag + (changes ? 1 : 0) };
      return { state: written, writer: { ...idle, seen: writer.seen, at: "delete" } };
    }
    default:
      return { state: deleted(writer.seen), writer: { ...idle, at: "end" } };
  }
}

function stepsFrom(state: State, rules: Rules): Transition<State>[] {
  const { project, changes, waiting, writers } = state;
  const change = {
    label: `change ${changes}`,
    next: { ...state, project: 1 - project, changes: changes + 1, waiting: waiting | (1 << changes) },
  };
  const writersSteps = writers.flatMap((writer, index) => {
    if (writer.at === "end") return [];
    const after = call(state, writer, rules);
    const stopped: Writer = { ...idle, at: "end" };
    return [
      { label: `writer ${index}: ${writer.at}`, next: { ...after.state, writers: writers.with(index, after.writer) } },
      { label: `writer ${index} stops`, next: { ...state, writers: writers.with(index, stopped) } },
    ];
  });
  return changes < maximumChanges ? [change, ...writersSteps] : writersSteps;
}

/** Nothing waits, and players get something else than the project is: nobody would ever write it. */
const isForgotten = ({ waiting, stored, project }: State) => waiting === 0 && stored !== project;

function exploreWith(rules: Rules) {
  const first: State = { project: 0, changes: 0, waiting: 0, stored: 0, etag: 0, writers: [idle, idle, idle] };
  return exploreStates(first, { stepsFrom: (state) => stepsFrom(state, rules), encode: JSON.stringify }, isForgotten);
}

test("if nothing waits the edge has what the project is, in whatever order three writers' calls arrive", () => {
  const { states, trace } = exploreWith(protocol);
  expect(trace).toBeUndefined();
  expect(states).toBeGreaterThan(10_000);
});

describe("an old state stays for ever", () => {
  test("if the project is read before the store's version", () => {
    expect(exploreWith({ ...protocol, versionFirst: false }).trace).toBeDefined();
  });

  test("if a write that changes nothing keeps the ETag: a writer of before the roll-back comes after it", () => {
    const trace = exploreWith({ ...protocol, marks: false }).trace ?? [];
    expect(trace.filter((label) => label.startsWith("change"))).toHaveLength(2);
    expect(trace.at(-1)).toMatch(/^writer \d: (write|delete)$/);
  });

  test("if what waits is deleted before the write, and the writer stops", () => {
    expect(exploreWith({ ...protocol, deletesLast: false }).trace).toBeDefined();
  });
});
