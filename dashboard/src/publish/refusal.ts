import type { Offer } from "./choices.ts";

/** What a person gave cannot be published; the message says what to do. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** What is wrong with which file, one line each. */
  readonly places: readonly string[];
  /** How the person can go on at once. */
  readonly offer: Offer | undefined;

  constructor(message: string, places: readonly string[] = [], offer?: Offer) {
    super(message);
    this.places = places;
    this.offer = offer;
  }
}
