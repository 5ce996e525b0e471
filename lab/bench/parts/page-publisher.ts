import { randomUUID } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import type { BenchService } from "./service.ts";

/** A person at the dashboard's page of a project. */
interface PagePublisher {
  /** Creates a project, signs in and opens its page, in a browser that has kept nothing. */
  prepare(): Promise<void>;
  /** Chooses the folder, publishes it as soon as the page permits it, and waits until it is live. */
  run(): Promise<{ wallMilliseconds: number }>;
}

/** Publishes a folder by the dashboard. */
export function pagePublisher(
  { folder, browser }: { folder: string; browser: Browser },
  { actors, dashboard }: Pick<BenchService, "actors" | "dashboard">,
): PagePublisher {
  const ada = actors.developer({ sub: "ada", name: "Ada Lovelace" });
  let page: Page | undefined;
  const opened = (): Page => {
    if (page === undefined) throw new Error("The page is not prepared");
    return page;
  };
  return {
    prepare: async () => {
      await page?.context().close();
      const slug = `page-${randomUUID().slice(0, 8)}`;
      await (await ada).post("/projects", { slug });
      page = await (await browser.newContext()).newPage();
      page.setDefaultTimeout(300_000);
      await page.goto(`${dashboard}projects/${slug}`);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("button", { name: /Ada Lovelace/ }).click();
      await page.getByRole("region", { name: "Publish" }).waitFor();
    },
    run: async () => {
      const started = performance.now();
      await opened().locator("input[webkitdirectory]").setInputFiles(folder);
      await opened().getByRole("button", { name: "Publish", exact: true }).click();
      await opened().getByText("It is live.").waitFor();
      return { wallMilliseconds: performance.now() - started };
    },
  };
}
