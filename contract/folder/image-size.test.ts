import { expect, test } from "@jest/globals";
import { imageSizeOf } from "./image-size.ts";

/* Beginnings of images of 700 × 3 pixels as Chromium encodes them, without their colour profiles; the GIF's and the last JPEG's are made by hand. */

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));

const png = "89504e470d0a1a0a 0000000d 49484452 000002bc 00000003 08060000";
const jfif = "ffd8 ffe00010 4a46494600010100000100010000";
const frame = "0011 08 0003 02bc 03 012200 021101 031101";
const riff = "52494646 54000000 57454250";

test.each([
  ["PNG", png],
  ["GIF", "474946383961 bc02 0300 f00000"],
  ["JPEG", `${jfif} ffdb0004 0000 ffc0 ${frame}`],
  ["progressive JPEG with Huffman tables and fill bytes before its frame", `ffd8 ffc40004 0000 ffffff c2 ${frame}`],
  ["lossy WebP", `${riff} 56503820 48000000 300500 9d012a bc02 0300 3f11`],
  ["lossless WebP", `${riff} 5650384c 10000000 2f bb820000 0750`],
  ["WebP with transparency", `${riff} 56503858 0a000000 30000000 bb0200 020000 4943`],
])("the size of a %s follows from its beginning", (_, hex) => {
  expect(imageSizeOf(bytesOf(hex))).toEqual({ width: 700, height: 3 });
});

test("bytes in the middle of a buffer are read from where they begin", () => {
  expect(imageSizeOf(bytesOf(`ffff ${png}`).subarray(2))).toEqual({ width: 700, height: 3 });
});

test.each([
  ["nothing", ""],
  ["text", Buffer.from("<svg width='700' height='3'/>").toString("hex")],
  ["the beginning of a PNG", png.slice(0, 40)],
  ["a JPEG that ends before its frame", jfif],
  ["a JPEG whose segments are none", `${jfif} 00`],
  ["a JPEG whose segment has no length", "ffd8 ffe0 0000 0000"],
  ["a PNG without pixels", "89504e470d0a1a0a 0000000d 49484452 00000000 00000003"],
  ["a WebP of another kind", `${riff} 58585858 0a000000 30000000 bb0200 020000 4943`],
])("%s has no size", (_, hex) => {
  expect(imageSizeOf(bytesOf(hex))).toBeUndefined();
});
