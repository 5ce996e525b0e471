/** Why a zip cannot be published. */
export class ZipProblem extends Error {
  override readonly name = "ZipProblem";
  /** What is wrong with which file, one line each. */
  readonly places: readonly string[];

  constructor(message: string, places: readonly string[] = []) {
    super(message);
    this.places = places;
  }
}
