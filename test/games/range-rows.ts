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

/** Requests for a part of a file (RFC 9110, section 14). How each form of a range is read: edge/content/range.test.ts. */
export const rangeRows: readonly Row[] = [
  { name: "the first bytes", request: range("bytes=0-9"), ...part(0, 10) },
  { name: "from a byte to the end", request: range("bytes=250-"), ...part(250, 256) },
  {
    name: "the last bytes",
    request: range("bytes=-6"),
    ...part(250, 256),
  },
  {
    name: "a range that starts at the end",
    request: range("bytes=256-"),
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
    // No file has a time, so everything is sent.
    name: "If-Range with a time",
    request: range("bytes=0-9", { "if-range": new Date().toUTCString() }),
    ...whole,
  },
];
