import { isDeepStrictEqual } from "node:util";
import { maskToken } from "../contract/token-format.ts";

/** A caller: its credential, and the label that is printed instead of it. */
export interface TourCaller {
  readonly label: string;
  readonly credential: string;
}

/** One step of the tour: a request, and the expected response. */
export interface Step {
  readonly title: string;
  /** An explanation for the reader. */
  readonly note?: string;
  readonly as?: TourCaller;
  /** `POST /tokens` */
  readonly request: string;
  readonly body?: unknown;
  readonly status: number;
  /** Facts about the response, which must be true. */
  readonly facts?: Readonly<Record<string, (response: TourResponse) => unknown>>;
}

export interface TourResponse {
  // biome-ignore lint/suspicious/noExplicitAny: each step reads its own route's response
  readonly body: any;
  readonly text: string;
}

/** A response is not the expected one. */
export class TourFailure extends Error {
  override readonly name = "TourFailure";
}

/** Runs steps against one API and prints each. */
export class TourGuide {
  readonly #api: string;
  #steps = 0;

  constructor(api: string) {
    this.#api = api;
  }

  get steps(): number {
    return this.#steps;
  }

  chapter(title: string): void {
    console.log(`\n\n${title}\n${"=".repeat(title.length)}`);
  }

  /** @throws TourFailure where the status or a fact is not the expected one */
  async walk({ title, note, as, request, body, status, facts = {} }: Step): Promise<TourResponse> {
    this.#steps += 1;
    console.log(`\n${this.#steps}. ${title}${note === undefined ? "" : `\n   ${note}`}\n`);
    console.log(`   ${request}${as === undefined ? "" : `\n   Authorization: Bearer ${as.label}`}`);
    if (body !== undefined) printJson(body);
    const received = await this.#send(request, as, body);
    const text = await received.text();
    const response: TourResponse = { text, body: text === "" ? undefined : JSON.parse(text) };
    console.log(`\n   → ${received.status} ${received.statusText}`);
    if (response.body !== undefined) printJson(response.body);
    report(`answers ${status}`, received.status === status);
    for (const [fact, holds] of Object.entries(facts)) report(fact, Boolean(holds(response)));
    return response;
  }

  async #send(request: string, as: TourCaller | undefined, body: unknown): Promise<Response> {
    const [method = "", path = ""] = request.split(" ");
    return await fetch(`${this.#api}${path}`, {
      method,
      headers: {
        ...(as && { authorization: `Bearer ${as.credential}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }
}

/** Masks raw tokens: a terminal's history must not contain a secret. */
function printJson(value: unknown): void {
  const text = JSON.stringify(value, undefined, 2).replace(/pat_[0-9A-Za-z]{60}/g, maskToken);
  console.log(text.replace(/^/gm, "   "));
}

function report(fact: string, holds: boolean): void {
  console.log(`   ${holds ? "✓" : "✗"} ${fact}`);
  if (!holds) throw new TourFailure(`This is not true: ${fact}`);
}

/** Whether an object has exactly these members. */
export function hasExactly(value: object, names: readonly string[]): boolean {
  return isDeepStrictEqual(Object.keys(value).sort(), [...names].sort());
}
