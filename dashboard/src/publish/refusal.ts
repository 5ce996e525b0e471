/** What a person gave cannot be published; the message says what to do. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** What is wrong with which file, one line each. */
  readonly places: readonly string[];

  constructor(message: string, places: readonly string[] = []) {
    super(message);
    this.places = places;
  }
}
