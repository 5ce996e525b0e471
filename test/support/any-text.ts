import fc from "fast-check";

/** Number of code points that are half of a surrogate pair, and the first of them. */
const [halves, firstHalf] = [0x800, 0xd800];

const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - halves })
  .map((number) => String.fromCodePoint(number < firstHalf ? number : number + halves));

/** Texts of any code points. fast-check's unit `binary` does the same, and computes for a second before the first of them. */
export function anyText(lengths: Pick<fc.StringConstraints, "minLength" | "maxLength"> = {}): fc.Arbitrary<string> {
  return fc.string({ ...lengths, unit: codePoint });
}
