import { folder, get, type Row, tag } from "./http-row.ts";
import { range } from "./range-rows.ts";

/** Conditional requests (RFC 9110, section 13). How tags are compared: edge/content/range.test.ts. */
export const conditionRows: readonly Row[] = [
  {
    name: "a file that the client has",
    request: get("/game.js", { "if-none-match": tag("game.js") }),
    status: 304,
    headers: { etag: tag("game.js"), "content-type": undefined, "cache-control": "public, max-age=0, must-revalidate" },
    body: "",
  },
  {
    name: "another tag",
    request: get("/game.js", { "if-none-match": '"other"' }),
    status: 200,
    body: folder["game.js"],
  },
  {
    name: "only a time, which no file has",
    request: get("/game.js", { "if-modified-since": new Date().toUTCString() }),
    status: 200,
  },
  {
    name: "If-None-Match before Range",
    request: range("bytes=0-9", { "if-none-match": tag("bytes.bin") }),
    status: 304,
    body: "",
  },
  {
    name: "If-Match with another tag, which a cache may ignore (section 13.1.1)",
    request: get("/game.js", { "if-match": '"other"' }),
    status: 200,
  },
  {
    name: "conditions on a missing file",
    request: get("/none", { "if-none-match": "*" }),
    status: 404,
  },
];
