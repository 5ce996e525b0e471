/** Why a zip cannot be published. */
export class ZipProblem extends Error {
  override readonly name = "ZipProblem";
  /** Problems with the files, one line each: which file, and what is wrong with it. */
  readonly places: readonly string[];

  constructor(message: string, places: readonly string[] = []) {
    super(message);
    this.places = places;
  }
}
