import { expect, test } from "@jest/globals";
import { Bytes, NotMovable, NotReadable, Reader, Writer } from "./encoding.ts";

async function bytesOf(...values: readonly unknown[]): Promise<Uint8Array<ArrayBuffer>> {
  const writer = new Writer();
  for (const value of values) writer.write(value);
  return new Uint8Array(await new Blob([...writer.parts]).arrayBuffer());
}

async function moved(value: unknown): Promise<unknown> {
  const reader = new Reader(await bytesOf(value));
  const result = reader.read();
  expect(reader.isAtEnd).toBe(true);
  return result;
}

const shared = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]).buffer;

test.each<[string, unknown]>([
  ["nothing", [undefined, null]],
  ["truth", [true, false]],
  ["numbers", [0, -0, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, -1]],
  ["large numbers", [0n, -(2n ** 70n), 2n ** 70n]],
  ["text", ["", "a", "ä€😀", "\u{feff}mark", "\0"]],
  ["text that is compressed to halves of pairs", "\ud800x\udfff"],
  ["dates", [new Date(0), new Date(-1)]],
  ["patterns", /a"\/b/giu],
  [
    "maps",
    new Map<unknown, unknown>([
      ["a", new Map([[1, 2]])],
      [new Date(1), ["x"]],
    ]),
  ],
  ["sets", new Set([1, "1", [1]])],
  ["lists", [[], [[1]], ["", [2, [3]]]]],
  // biome-ignore lint/suspicious/noSparseArray: such a list is what is tested
  ["lists with holes", [1, , 3]],
  ["lists with members", Object.assign([1, 2], { extra: "x" })],
  ["objects", { a: { b: { c: 1 } }, "": 0, constructor: 1, toString: 2 }],
  ["bytes", shared],
  [
    "lists of numbers",
    [new Uint8Array([1, 255]), new Float64Array([1.5]), new BigInt64Array([-1n]), new Int16Array(0)],
  ],
  ["parts of bytes", [new Uint16Array(shared, 2, 2), new DataView(shared, 1, 3)]],
  ["boxed values", [Object(1), Object("x"), Object(true)]],
])("%s come back as they were", async (_, value) => {
  expect(await moved(value)).toStrictEqual(value);
});

test("a list that is empty for a billion places takes no room", async () => {
  const list: unknown[] = [];
  list[1_000_000_000] = "far";
  const bytes = await bytesOf(list);
  expect(bytes.length).toBeLessThan(100);
  expect(new Reader(bytes).read()).toHaveLength(1_000_000_001);
});

test("errors keep name and message, and a date that is none stays one", async () => {
  const [error, date] = (await moved([new RangeError("far"), new Date(Number.NaN)])) as [Error, Date];
  expect([error.name, error.message]).toEqual(["RangeError", "far"]);
  expect(date.getTime()).toBeNaN();
});

test("blobs and files come back with their type, name and time", async () => {
  const file = new File(["in it"], "a.txt", { type: "text/plain", lastModified: 5 });
  const [blob, back] = (await moved([new Blob(["x".repeat(9_000)], { type: "image/png" }), file])) as [Blob, File];
  expect([blob.type, await blob.text()]).toEqual(["image/png", "x".repeat(9_000)]);
  expect([back.name, back.type, back.lastModified, await back.text()]).toEqual(["a.txt", "text/plain", 5, "in it"]);
});

test("what refers to itself, and what two refer to, is one thing again", async () => {
  const inner = { of: [] as unknown[] };
  const outer = { first: inner, second: inner, views: [new Uint8Array(shared), new Uint8Array(shared)] };
  inner.of.push(outer);
  const back = (await moved(outer)) as typeof outer;
  expect(back.first).toBe(back.second);
  expect(back.first.of[0]).toBe(back);
  expect(back.views[0]?.buffer).toBe(back.views[1]?.buffer);
});

test("a member named __proto__ is a member", async () => {
  const value = JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": {"prototype": {"isAdmin": true}}}');
  const back = (await moved(value)) as object;
  expect(Object.keys(back)).toEqual(["__proto__", "constructor"]);
  expect(Object.getPrototypeOf(back)).toBe(Object.getPrototypeOf(await moved({})));
  expect("isAdmin" in back).toBe(false);
});

test("many values are read one behind the other", async () => {
  const values = Array.from({ length: 30_000 }, (_, index) => ({ index, text: "x".repeat(index % 7) }));
  const reader = new Reader(await bytesOf(...values));
  const back: unknown[] = [];
  while (!reader.isAtEnd) back.push(reader.read());
  expect(back).toEqual(values);
});

test("bytes that were written before are one buffer", async () => {
  const writer = new Writer();
  writer.write(new Bytes([new Uint8Array([1]), new Blob(["23"])]));
  const bytes = new Uint8Array(await new Blob([...writer.parts]).arrayBuffer());
  expect(new Uint8Array(new Reader(bytes).read() as ArrayBuffer)).toEqual(new Uint8Array([1, 50, 51]));
});

class CryptoKeyLike {
  readonly [Symbol.toStringTag] = "CryptoKey";
}

test.each<[string, unknown, string]>([
  ["a key of Web Crypto", new CryptoKeyLike(), "CryptoKey"],
  ["a function", () => undefined, "function"],
])("%s is not moved", (_, value, name) => {
  expect(() => new Writer().write({ deep: [value] })).toThrow(new NotMovable(name));
});

const nested = (depth: number) => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
};

test("a thousand levels are moved, and no more", async () => {
  expect(await moved(nested(999))).toEqual(nested(999));
  expect(() => new Writer().write(nested(5_000))).toThrow(NotMovable);
});

const text = (letters: string) => new Uint8Array([...letters].map((letter) => letter.charCodeAt(0)));
const many = "\xff\xff\xff\xff";

test.each([
  ["nothing", ""],
  ["an unknown kind", "?"],
  ["half a number", "n123"],
  ["a text of 4 GB", `s${many}x`],
  ["a list of four billion", `a${many}u`],
  ["a map of four billion", `m${many}uu`],
  ["bytes of 4 GB", `b${many}`],
  ["a view of what is no buffer", "v\x02\0\0\0\0\0\0\0\0\0\0\0u"],
  ["a view behind the end of its buffer", "v\x02\0\0\0\0\0\0\0\x09\0\0\0b\x01\0\0\0x"],
  ["a view of an unknown kind", "v\x63\0\0\0\0\0\0\0\0\0\0\0b\0\0\0\0"],
  ["an odd half of a text", "h\x01\0\0\0x"],
  ["a number that is no number", "i\x02\0\0\x000x"],
  ["a pattern that is none", "xs\x01\0\0\0(s\0\0\0\0"],
  ["a reference to nothing", "r\0\0\0\0"],
  ["an object whose key is no text", "o\x01\0\0\0uu"],
  ["a list whose length is set by a member", "A\x01\0\0\0\x01\0\0\0s\x06\0\0\0lengthn\0\0\0\0\0\0\0\0"],
  ["a hundred thousand levels", "a\x01\0\0\0".repeat(100_000)],
])("%s is refused", (_, bytes) => {
  expect(() => new Reader(text(bytes)).read()).toThrow(NotReadable);
});

test("whatever byte of a file is another one, it is read as values or refused", async () => {
  const value = {
    list: [1, "x", new Map([["a", new Uint8Array([1, 2])]])],
    date: new Date(5),
    pattern: /x/g,
    when: 5n,
  };
  const bytes = await bytesOf(value);
  for (let index = 0; index < bytes.length; index += 1) {
    for (const other of [0, 1, 0x61, 0x72, 0x76, 0xff]) {
      const changed = bytes.slice();
      changed[index] = other;
      const read = () => {
        try {
          new Reader(changed).read();
        } catch (error) {
          return error;
        }
        return undefined;
      };
      const error = read();
      expect(error === undefined || error instanceof NotReadable).toBe(true);
    }
  }
});
