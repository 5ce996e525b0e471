import { describe, expect, test } from "@jest/globals";
import { CutPack, objectsIn, packBytes, packOf } from "./packs.ts";

const object = (digit: string, text: string) => ({ sha256: digit.repeat(64), bytes: new TextEncoder().encode(text) });
const objects = [object("a", "one"), object("0", ""), object("f", "three")];
const pack = packOf(objects);

describe("a pack", () => {
  test("gives its objects in their order, and has the length that was said", () => {
    expect([...objectsIn(pack)]).toEqual(objects);
    expect(pack).toHaveLength(packBytes(objects.map(({ bytes }) => ({ size: bytes.length }))));
    expect([...objectsIn(packOf([]))]).toEqual([]);
  });

  test("is written as the API describes it", () => {
    const hash = Buffer.alloc(32, 0xaa).toString("latin1");
    expect(Buffer.from(packOf([object("a", "one")])).toString("latin1")).toBe(`svcpack1${hash}\0\0\0\u0003one`);
  });

  test("that is read from the middle of a buffer is the same", () => {
    const around = Buffer.concat([Buffer.from("xyz"), pack, Buffer.from("x")]);
    expect([...objectsIn(around.subarray(3, -1))]).toEqual(objects);
  });

  test("that is cut anywhere but between two objects is refused, and so is what is none", () => {
    const whole = [packBytes([]), packBytes([{ size: 3 }]), packBytes([{ size: 3 }, { size: 0 }]), pack.length];
    for (let length = 0; length <= pack.length; length += 1) {
      const read = () => [...objectsIn(pack.subarray(0, length))];
      if (whole.includes(length)) expect(read()).toHaveLength(whole.indexOf(length));
      else expect(read).toThrow(CutPack);
    }
    expect(() => [...objectsIn(Buffer.from("svcpack2"))]).toThrow(CutPack);
  });
});
