import { gzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { visitor } from "./visitor.ts";

const v = visitor();

const isOfPage = (url: string) => url.startsWith(v.service.dashboard);

test("the first view takes 60 kB in 6 requests, and nothing that publishes", async () => {
  const responses: Promise<{ readonly path: string; readonly body: Buffer }>[] = [];
  v.page.on("response", (response) => {
    const path = new URL(response.url()).pathname;
    if (isOfPage(response.url())) responses.push(response.body().then((body) => ({ path, body })));
  });
  await v.page.goto(v.service.dashboard);
  await v.page.getByRole("button", { name: "Sign in" }).waitFor();
  await v.page.waitForLoadState("networkidle");
  const seen = await Promise.all(responses);
  const bytes = seen.reduce((sum, { body }) => sum + gzipSync(body).length, 0);
  expect({ few: bytes <= 60_000, bytes }).toMatchObject({ few: true });
  expect(seen.map(({ path }) => path).length).toBeLessThanOrEqual(6);
  const scripts = seen.filter(({ path }) => path.endsWith(".js")).map(({ body }) => body.toString());
  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.some((script) => script.includes("/releases/:id/uploads"))).toBe(false);
});
