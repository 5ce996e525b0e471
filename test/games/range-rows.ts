import { bytes, get, type Row, tag } from "./http-row.ts";

/** A GET request for a part of `bytes.bin`. */
export const range = (value: string, headers: Record<string, string> = {}) =>
  get("/bytes.bin", { range: value, ...headers });
const part = (start: number, end: number) => ({
  status: 206,
  headers: { "content-range": `bytes ${start}-${end - 1}/256`, "content-length": String(end - start) },
  body: bytes.subarray(start, end),
});
const whole = { status: 200, headers: { "content-length": "256", "content-range": undefined }, body: bytes };

/** Requests for a part of a file (RFC 9110, section 14). */
export const rangeRows: readonly Row[] = [
  { name: "the first bytes", request: range("bytes=0-9"), ...part(0, 10) },
  { name: "one byte", request: range("bytes=255-255"), ...part(255, 256) },
  {
    name: "the first byte",
    request: range("bytes=0-0"),
    ...part(0, 1),
  },
  { name: "from a byte to the end", request: range("bytes=250-"), ...part(250, 256) },
  {
    name: "the last bytes",
    request: range("bytes=-6"),
    ...part(250, 256),
  },
  { name: "more last bytes than the file has", request: range("bytes=-999"), ...part(0, 256) },
  { name: "a range that ends beyond the end", request: range("bytes=250-999"), ...part(250, 256) },
  {
    name: "the unit in another case",
    request: range("Bytes=0-9"),
    ...part(0, 10),
  },
  {
    name: "a range that starts at the end",
    request: range("bytes=256-"),
    status: 416,
    headers: { "content-range": "bytes */256" },
    body: "",
  },
  {
    name: "the last 0 bytes",
    request: range("bytes=-0"),
    status: 416,
    headers: { "content-range": "bytes */256" },
    body: "",
  },
  {
    name: "a range of an empty file",
    request: get("/empty.txt", { range: "bytes=0-" }),
    status: 416,
    headers: { "content-range": "bytes */0" },
    body: "",
  },
  {
    // A server may ignore them (section 14.2).
    name: "several ranges",
    request: range("bytes=0-1,5-6"),
    ...whole,
  },
  {
    // It is invalid, so ignored (section 14.1.1).
    name: "a range that ends before it starts",
    request: range("bytes=9-5"),
    ...whole,
  },
  {
    name: "an empty range",
    request: range("bytes="),
    ...whole,
  },
  {
    // A unit that is not known is ignored (section 14.2).
    name: "another unit",
    request: range("seconds=0-9"),
    ...whole,
  },
  { name: "an end of 400 digits", request: range(`bytes=0-${"9".repeat(400)}`), ...part(0, 256) },
  {
    name: "If-Range with the tag",
    request: range("bytes=0-9", { "if-range": tag("bytes.bin") }),
    ...part(0, 10),
  },
  {
    name: "If-Range with another tag",
    request: range("bytes=0-9", { "if-range": '"other"' }),
    ...whole,
  },
  {
    name: "If-Range with a weak tag",
    request: range("bytes=0-9", { "if-range": `W/${tag("bytes.bin")}` }),
    ...whole,
  },
  {
    // No file has a time, so everything is sent.
    name: "If-Range with a time",
    request: range("bytes=0-9", { "if-range": new Date().toUTCString() }),
    ...whole,
  },
];
