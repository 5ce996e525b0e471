import { afterAll, afterEach, beforeAll, beforeEach, expect } from "@jest/globals";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { type ServiceOptions, shareService, startService, type TestService } from "../../support/service/service.ts";
import { emptyTable } from "../../support/table/stored.ts";
import { launchChromium } from "../chromium.ts";

/** The service and the browser of a file's tests, and the page of the test that runs. */
export interface Visitor {
  readonly service: TestService;
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Opens the dashboard as Ada, who is a developer, or as another person of the provider's list. */
  enter(path?: string, person?: { readonly name?: string; readonly page?: Page }): Promise<void>;
  readonly ada: Developer;
  /** Chooses an entry of the menu beside a project's Play. */
  choose(entry: string, page?: Page): Promise<void>;
  /** Opens a tab of the project that is shown. */
  tab(name: string, page?: Page): Promise<void>;
  button(name: string | RegExp): ReturnType<Page["getByRole"]>;
}

/**
 * Opens a new page before each test of a file. A test that is tried once more begins with an empty table too, in which no name is
 * taken by what it did before.
 *
 * @param options of a service for the file alone; without them it is the one that files share, with an empty table
 * @param prepare called with each service that is started or emptied
 */
export function visitor(options?: ServiceOptions, prepare = async (_: Visitor): Promise<void> => undefined): Visitor {
  let service: TestService;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let ada: Developer;
  const tried = new Set<string | undefined>();
  const start = async () => {
    service = await (options ? startService(options) : shareService());
    if (!options) await emptyTable(service);
    ada = await actorsOf(service).developer({ sub: "ada", name: "Ada Lovelace" });
    await prepare(visit);
  };
  beforeAll(async () => {
    [browser] = await Promise.all([launchChromium(), start()]);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), service?.stop()]);
  });
  beforeEach(async () => {
    const { currentTestName } = expect.getState();
    if (tried.has(currentTestName)) {
      await service.stop();
      await start();
    }
    tried.add(currentTestName);
    context = await browser.newContext();
    page = await context.newPage();
    page.setDefaultTimeout(20_000);
  });
  afterEach(() => context?.close());
  const visit: Visitor = {
    get service() {
      return service;
    },
    get browser() {
      return browser;
    },
    get context() {
      return context;
    },
    get page() {
      return page;
    },
    get ada() {
      return ada;
    },
    enter: async (path = "", { name = "Ada Lovelace", page: other = page } = {}) => {
      await other.goto(service.dashboard + path);
      await other.getByRole("button", { name: "Sign in" }).click();
      await other.getByRole("button", { name: new RegExp(name) }).click();
      await other.getByRole("navigation", { name: "Main" }).waitFor();
    },
    choose: async (entry, other = page) => {
      await other
        .locator(".project-actions")
        .getByRole("button", { name: /^More for/ })
        .click();
      await other.getByRole("button", { name: entry, exact: true }).click();
    },
    tab: async (name, other = page) => {
      await other.getByRole("navigation", { name: "Project" }).getByRole("link", { name, exact: true }).click();
    },
    button: (name) => page.getByRole("button", { name, exact: true }),
  };
  return visit;
}
