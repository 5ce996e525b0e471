import { type ViewerFunction, viewerFunctionCode } from "../../infra/viewer-functions.ts";
import { runInNjs } from "../../test/support/edge/njs.ts";

const live = "a".repeat(64);
const headers = {
  host: { value: "my-game.games.example.net" },
  "sec-fetch-dest": { value: "document" },
  "accept-encoding": { value: "gzip, deflate, br" },
  accept: { value: "text/html" },
};
const event = {
  request: { method: "GET", uri: "/", querystring: {}, headers, cookies: {} },
  response: {
    statusCode: 200,
    headers: {
      "x-svc-release": { value: live },
      "cache-tag": { value: "game:my-game" },
      "cache-control": { value: "public, max-age=0, must-revalidate, s-maxage=31536000" },
    },
  },
};

/** The milliseconds of a processor that a viewer function takes in njs for a page, where both read the key-value store. */
export function viewerMilliseconds(name: ViewerFunction, calls: number): number {
  const code = viewerFunctionCode(name, { gamesDomain: "games.example.net", reportUrl: "https://example.com/{slug}" });
  const values = new Map([["my-game", `l.${live}.${"b".repeat(30)}.`]]);
  const seconds = (count: number) => runInNjs(code, callsOf(count), values).seconds;
  return ((seconds(calls + 1) - seconds(1)) * 1_000) / calls;
}

function callsOf(count: number): string {
  return `async function all() {
  for (let call = 0; call < ${count}; call++) {
    const event = JSON.parse(${JSON.stringify(JSON.stringify(event))});
    event.request.rawQueryString = () => undefined;
    await handler(event);
  }
  console.log(1);
}
all();`;
}
