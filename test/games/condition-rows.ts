import { folder, get, type Row, tag } from "./http-row.ts";
import { range } from "./range-rows.ts";

/** Conditional requests (RFC 9110, section 13). */
export const conditionRows: readonly Row[] = [
  {
    name: "what somebody has",
    request: get("/game.js", { "if-none-match": tag("game.js") }),
    status: 304,
    headers: { etag: tag("game.js"), "content-type": undefined, "cache-control": "public, max-age=0, must-revalidate" },
    body: "",
    sirv: 200,
    why: "its tags are of size and time, and change with each deployment",
  },
  {
    name: "what somebody has, weakly",
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
    why: "sirv knows one tag alone",
  },
  {
    name: "another tag",
    request: get("/game.js", { "if-none-match": '"other"' }),
    status: 200,
    body: folder["game.js"],
    sirv: "same",
  },
  {
    name: "a time alone, though nothing has one",
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
    why: "its own tag would do the same",
  },
  {
    name: "If-Match with the tag",
    request: get("/game.js", { "if-match": tag("game.js") }),
    status: 200,
    sirv: "same",
  },
  {
    name: "If-Match with another",
    request: get("/game.js", { "if-match": '"other"' }),
    status: 412,
    body: "",
    sirv: 200,
    why: "sirv knows no If-Match",
  },
  {
    name: "If-Match with a weak tag",
    request: get("/game.js", { "if-match": `W/${tag("game.js")}` }),
    status: 412,
    body: "",
    sirv: 200,
    why: "as above; it asks for strong comparison (section 13.1.1)",
  },
  {
    name: "conditions on what is not there",
    request: get("/none", { "if-none-match": "*" }),
    status: 404,
    sirv: "same",
  },
];
