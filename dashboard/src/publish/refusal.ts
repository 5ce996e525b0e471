import type { Choices } from "../../../publisher/settings.ts";

/** A way on for somebody whose selection is refused. */
export interface Offer {
  readonly label: string;
  /** Added to what was chosen before. */
  readonly choices: Partial<Choices>;
}

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
