import { expect, test } from "@jest/globals";
import { lookAt } from "../../../../../test/browser/dashboard/screens.ts";
import { visitor } from "../../../../../test/browser/dashboard/visitor.ts";
import { addMember } from "../../../../../test/support/service/operations.ts";
import { newProject, publish } from "../../../../../test/support/service/steps.ts";
import { duringTests } from "../../../../../test/support/service/suite.ts";
import { isSignedBy, startReceiver } from "../../support/receiver.ts";

/*
 * Webhooks in a project's settings: a person adds one, tries it, and sees what came of each delivery.
 */

const v = visitor({ env: { SVC_WEBHOOKS_LOCAL: "1", SVC_NOTICES_SECONDS: "1" } });
const receiver = duringTests(startReceiver);

test("a webhook is added, tried, fails, is sent again, is switched off and removed", async () => {
  const slug = await newProject(v.ada);
  await v.enter(`projects/${slug}/settings`);
  await v.button("Add a webhook").click();
  await v.page.getByLabel("URL").fill("http://10.0.0.1/");
  await v.button("Add").click();
  await v.page.getByText("This must be an https URL.").waitFor();
  expect(await lookAt(v.page, "webhook-form")).toEqual([]);
  await v.page.getByLabel("URL").fill(receiver.url);
  await v.button("Add").click();
  const secret = await v.page.getByRole("dialog").locator("code").textContent();
  await v.button("Done").click();
  const row = v.page.getByRole("list", { name: "Webhooks" }).getByRole("listitem");
  const openDeliveries = () => row.getByRole("button", { name: /^Deliveries/ }).click();
  await openDeliveries();
  await v.button("Send a test").click();
  const first = v.page.getByRole("list", { name: "Deliveries" }).getByRole("listitem").first();
  await first.getByText("Delivered").waitFor();
  const [message] = receiver.messages;
  expect(message && isSignedBy(secret ?? "", message)).toBe(true);
  receiver.respondWith(500);
  await publish(v.ada, slug, { "index.html": "1" });
  await v.button("Close").click();
  await row.getByText("Fails").or(row.getByText("added")).first().waitFor();
  await openDeliveries();
  await v.button("Send a test").click();
  await first.getByText("Failed").waitFor();
  expect(await lookAt(v.page, "webhook-deliveries")).toEqual([]);
  receiver.respondWith(204);
  await first.getByRole("button", { name: /^Send again/ }).click();
  await first.getByText("Delivered").waitFor();
  await v.button("Switch off").click();
  await v.button("Switch on").waitFor();
  await v.button("Close").click();
  await row.getByText("Off", { exact: true }).waitFor();
  expect(await lookAt(v.page, "webhooks", row)).toEqual([]);
  await row.getByRole("button", { name: /^Remove/ }).click();
  await v.button("Remove").click();
  await v.page.getByText("A webhook tells your Discord or Slack channel").waitFor();
});

test("a publisher of the project sees no webhooks", async () => {
  const grace = await v.ada.otherDeveloper();
  const slug = await newProject(grace);
  await addMember(grace, slug, v.ada, "publisher");
  await v.enter(`projects/${slug}/settings`);
  await v.page.getByRole("heading", { name: "CI jobs that may publish" }).waitFor();
  expect(await v.page.getByRole("heading", { name: "Webhooks" }).count()).toBe(0);
});
