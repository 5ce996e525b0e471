import { expect, test } from "@jest/globals";
import { withValues } from "./help-values.ts";

const local = { api: "http://127.0.0.1:8787", games: "http://{slug}.localhost:8787/" };
const stage = { api: "https://api.play.test", games: "https://{slug}.games.play.test/" };

test.each([
  ["SVC_API: https://api.svc.example", local, "SVC_API: http://127.0.0.1:8787"],
  ["npm i https://dashboard.svc.example/svc.tgz", stage, "npm i https://page.test/svc.tgz"],
  ["at https://my-game.<games domain>/.well-known", local, "at http://my-game.localhost:8787/.well-known"],
  ["`https://my-game.<games domain>/`", stage, "`https://my-game.games.play.test/`"],
  ["https://<slug>.<games domain>/", stage, "https://<slug>.games.play.test/"],
  ["https://my-game.<games domain>/", { api: stage.api }, "https://my-game.<games domain>/"],
])("%s of the documents is that of the stage", (text, configuration, expected) => {
  expect(withValues(text, configuration, "https://page.test")).toBe(expected);
});
