import type { Offer } from "./offers.ts";

/** Refusal of files that a person gave and that cannot be published; the message says what to do. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** Problems with files, one line each: which file, and what is wrong with it. */
  readonly places: readonly string[];
  /** Way on that the person can take at once. */
  readonly offer: Offer | undefined;

  constructor(message: string, places: readonly string[] = [], offer?: Offer) {
    super(message);
    this.places = places;
    this.offer = offer;
  }
}
