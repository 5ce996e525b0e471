import { folder, get, type Row, tag } from "./http-row.ts";
import { range } from "./range-rows.ts";

/** Conditional requests (RFC 9110, section 13). */
export const conditionRows: readonly Row[] = [
  {
    name: "a file that the client has",
    request: get("/game.js", { "if-none-match": tag("game.js") }),
    status: 304,
    headers: { etag: tag("game.js"), "content-type": undefined, "cache-control": "public, max-age=0, must-revalidate" },
    body: "",
    sirv: 200,
    why: "sirv makes its tags from size and time, so they change with each deployment",
  },
  {
    name: "a file that the client has, by a weak tag",
    request: get("/game.js", { "if-none-match": `W/${tag("game.js")}` }),
    status: 304,
    body: "",
    sirv: 200,
    why: "as above",
  },
  {
    name: "one of several tags",
    request: get("/game.js", { "if-none-match": `"a", ${tag("game.js")}` }),
    status: 304,
    body: "",
    sirv: 200,
    why: "as above",
  },
  {
    name: "any tag",
    request: get("/game.js", { "if-none-match": "*" }),
    status: 304,
    body: "",
    sirv: 200,
    why: "sirv understands only one tag",
  },
  {
    name: "another tag",
    request: get("/game.js", { "if-none-match": '"other"' }),
    status: 200,
    body: folder["game.js"],
    sirv: "same",
  },
  {
    name: "only a time, which no file has",
    request: get("/game.js", { "if-modified-since": new Date().toUTCString() }),
    status: 200,
    sirv: "same",
  },
  {
    name: "If-None-Match before Range",
    request: range("bytes=0-9", { "if-none-match": tag("bytes.bin") }),
    status: 304,
    body: "",
    sirv: 206,
    why: "sirv's own tag would give 304 too",
  },
  {
    name: "If-Match with the tag",
    request: get("/game.js", { "if-match": tag("game.js") }),
    status: 200,
    sirv: "same",
  },
  {
    name: "If-Match with another tag, which a cache may ignore (section 13.1.1)",
    request: get("/game.js", { "if-match": '"other"' }),
    status: 200,
    sirv: "same",
  },
  {
    name: "conditions on a missing file",
    request: get("/none", { "if-none-match": "*" }),
    status: 404,
    sirv: "same",
  },
];
