import { expect, test } from "@jest/globals";
import type { Request, Route } from "playwright-core";
import { newSlug, publish } from "../../support/service/steps.ts";
import { layoutShiftOf, shiftObserver } from "./layout-shift.ts";
import { visitor } from "./visitor.ts";

/*
 * A reload of a project's page: on a slow network each request that waits for another one costs a second.
 */

const v = visitor();

/** A request to the dashboard, its API or the provider, without files that browsers keep; undefined: another one. */
function nameOf(request: Request): string | undefined {
  const { origin, pathname, search } = new URL(request.url());
  const { dashboard, api, issuer } = v.service;
  if (![dashboard, api, issuer].some((url) => new URL(url).origin === origin)) return undefined;
  if (pathname.startsWith("/assets/") || pathname.endsWith(".svg")) return undefined;
  const query = origin === new URL(api).origin ? search.replaceAll(/\d{4}-\d\d-\d\d/g, "DAY") : "";
  return `${request.method()} ${pathname}${query}`;
}

/** The round trips before anything of the API is asked, one after the other. */
const signIn = (path: string) => [`GET ${path}`, "GET /authorize", "GET /signed-in", "POST /token"];

/** The names of the requests that the page sends from now on. */
function requestsFromNow(): string[] {
  const asked: string[] = [];
  v.page.on("request", (request) => asked.push(...[nameOf(request)].filter((name) => name !== undefined)));
  return asked;
}

/**
 * Reloads a page until it is shown, which takes the round trips of the sign-in and one more. No response of the API comes before each of its
 * requests was sent: one that waited for another would wait for good.
 *
 * @param together requests to the API
 */
async function expectReload(path: string, together: readonly string[], shown: () => Promise<void>): Promise<void> {
  const { page } = v;
  const asked = requestsFromNow();
  const held: Route[] = [];
  await page.route(`${v.service.api}/**`, async (route) => {
    held.push(route);
    if (held.length >= together.length) await Promise.all(held.splice(0).map((one) => one.continue()));
  });
  await page.reload();
  await shown();
  const first = signIn(path);
  expect(asked.slice(0, first.length)).toEqual(first);
  expect(asked.slice(first.length).toSorted()).toEqual(together.toSorted());
}

test("a reload takes five round trips one after another, reads nothing twice, and moves nothing", async () => {
  const { page } = v;
  const slug = newSlug();
  const path = `/projects/${slug}`;
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await publish(v.ada, slug, { "index.html": "one" });
  await publish(v.ada, slug, { "index.html": "two" });
  await page.addInitScript(shiftObserver);
  await v.enter(path.slice(1));
  const shown = async () => {
    await page.getByRole("region", { name: "Live release" }).getByText("Release #2").waitFor();
    await page.getByRole("region", { name: "What happened" }).getByRole("listitem").first().waitFor();
  };
  await shown();

  const together = [
    "POST /auth/session",
    `GET /projects?slug=${slug}`,
    `GET ${path}/crashes`,
    `GET ${path}/events?limit=3`,
    `GET ${path}/previews`,
    `GET ${path}/releases`,
    `GET ${path}/statistics?from=DAY`,
    `GET ${path}/statistics?from=DAY&to=DAY`,
  ];
  await expectReload(path, together, async () => {
    await shown();
    await page.getByRole("heading", { name: "Last 7 days" }).or(page.getByLabel("Last 7 days")).first().waitFor();
  });
  expect((await layoutShiftOf(page)).shift).toBeLessThanOrEqual(0.02);
});

test("a reload of a project's settings reads nothing twice", async () => {
  const { page } = v;
  const slug = newSlug();
  const path = `/projects/${slug}`;
  await v.ada.post("/projects", { slug, name: "Bounce" });
  const release = await publish(v.ada, slug, { "index.html": "one" });
  await v.enter(`${path.slice(1)}/settings`);
  const last = page.getByRole("heading", { name: "Webhooks" });
  await last.waitFor();
  const asked = requestsFromNow();
  await page.reload();
  await page.getByText("A webhook tells").waitFor();
  expect(asked.toSorted()).toEqual(
    [
      ...signIn(`${path}/settings`),
      "POST /auth/session",
      `GET /projects?slug=${slug}`,
      `GET ${path}/members`,
      `GET ${path}/previews`,
      `GET ${path}/publishers`,
      `GET ${path}/releases`,
      `GET ${path}/releases/${release}/changes`,
      `GET ${path}/tokens`,
      `GET ${path}/webhooks`,
    ].toSorted(),
  );
});

test("a reload of a release's page takes five round trips one after another, and reads nothing twice", async () => {
  const { page } = v;
  const slug = newSlug();
  const project = `/projects/${slug}`;
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await publish(v.ada, slug, { "index.html": "one" });
  const id = await publish(v.ada, slug, { "index.html": "two" });
  const path = `${project}/releases/${id}`;
  await v.enter(path.slice(1));
  const shown = async () => {
    await page.getByText("1 file changes").waitFor();
    await page.getByRole("link", { name: "index.html" }).waitFor();
  };
  await shown();
  const together = [
    "POST /auth/session",
    `GET /projects?slug=${slug}`,
    `GET ${project}/crashes`,
    `GET ${project}/previews`,
    `GET ${project}/releases`,
    `GET ${path}/changes?with=previous`,
    `GET ${path}/files?folder=`,
    `GET ${project}/statistics?from=DAY`,
  ];
  await expectReload(path, together, shown);
});
