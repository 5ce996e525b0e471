/** Why there can be no such release. The clients have the words for it. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly code: "manifest_too_large";
  /** How much there is of what is limited. */
  readonly bytes: number;

  constructor(code: Refused["code"], { bytes }: { readonly bytes: number }) {
    super(code);
    this.code = code;
    this.bytes = bytes;
  }
}
