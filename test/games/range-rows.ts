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
  { name: "the first bytes", request: range("bytes=0-9"), ...part(0, 10), sirv: "same" },
  { name: "one byte", request: range("bytes=255-255"), ...part(255, 256), sirv: "same" },
  {
    name: "the first byte",
    request: range("bytes=0-0"),
    ...part(0, 1),
    sirv: 206,
    why: "sirv takes an end of 0 for none and sends everything",
  },
  { name: "from a byte to the end", request: range("bytes=250-"), ...part(250, 256), sirv: "same" },
  {
    name: "the last bytes",
    request: range("bytes=-6"),
    ...part(250, 256),
    sirv: 206,
    why: "sirv takes a suffix for the first bytes",
  },
  { name: "more last bytes than the file has", request: range("bytes=-999"), ...part(0, 256), sirv: "same" },
  { name: "a range that ends beyond the end", request: range("bytes=250-999"), ...part(250, 256), sirv: "same" },
  {
    name: "the unit in another case",
    request: range("Bytes=0-9"),
    ...part(0, 10),
    sirv: "same",
  },
  {
    name: "a range that starts at the end",
    request: range("bytes=256-"),
    status: 416,
    headers: { "content-range": "bytes */256" },
    body: "",
    sirv: "same",
  },
  {
    name: "the last 0 bytes",
    request: range("bytes=-0"),
    status: 416,
    headers: { "content-range": "bytes */256" },
    body: "",
    sirv: 206,
    why: "sirv sends everything as a part",
  },
  {
    name: "a range of an empty file",
    request: get("/empty.txt", { range: "bytes=0-" }),
    status: 416,
    headers: { "content-range": "bytes */0" },
    body: "",
    sirv: "same",
  },
  {
    name: "several ranges",
    request: range("bytes=0-1,5-6"),
    ...whole,
    sirv: 206,
    why: "a server may ignore them (section 14.2); sirv sends the first",
  },
  {
    name: "a range that ends before it starts",
    request: range("bytes=9-5"),
    ...whole,
    sirv: 0,
    why: "it is invalid, so ignored (section 14.1.1); sirv throws after the headers",
  },
  {
    name: "an empty range",
    request: range("bytes="),
    ...whole,
    sirv: 206,
    why: "it is invalid, so ignored; sirv sends everything as a part",
  },
  {
    name: "another unit",
    request: range("seconds=0-9"),
    ...whole,
    sirv: 206,
    why: "a unit that is not known is ignored (section 14.2)",
  },
  { name: "an end of 400 digits", request: range(`bytes=0-${"9".repeat(400)}`), ...part(0, 256), sirv: "same" },
  {
    name: "If-Range with the tag",
    request: range("bytes=0-9", { "if-range": tag("bytes.bin") }),
    ...part(0, 10),
    sirv: "same",
  },
  {
    name: "If-Range with another tag",
    request: range("bytes=0-9", { "if-range": '"other"' }),
    ...whole,
    sirv: 206,
    why: "sirv ignores If-Range",
  },
  {
    name: "If-Range with a weak tag",
    request: range("bytes=0-9", { "if-range": `W/${tag("bytes.bin")}` }),
    ...whole,
    sirv: 206,
    why: "it is invalid, so everything is sent; sirv ignores If-Range",
  },
  {
    name: "If-Range with a time",
    request: range("bytes=0-9", { "if-range": new Date().toUTCString() }),
    ...whole,
    sirv: 206,
    why: "no file has a time, so everything is sent; sirv ignores If-Range",
  },
];
