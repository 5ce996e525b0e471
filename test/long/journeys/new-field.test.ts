import { expect, test } from "@jest/globals";
import { failuresOf, useGuideCopy } from "../../support/guide.ts";

const { snippets, apply, write, run } = useGuideCopy();

/** What the new field must do, as a test of the copy. */
const rules = `
import { expect, test } from "@jest/globals";
import { actorsOf } from "../../support/service/actors.ts";
import { useService } from "../../support/service/suite.ts";

const service = useService();
const actors = actorsOf(service);
const website = "https://ada.example/";

test("a developer's website is stored, and everybody sees it", async () => {
  const ada = await actors.developer();
  expect(await ada.patch("/me", { website })).toMatchObject({ status: 200, body: { developer: { website } } });
  expect(await ada.get("/me")).toMatchObject({ body: { developer: { website } } });
  expect(await actors.anonymous.get("/users/" + ada.uid)).toMatchObject({ body: { website } });
});

test("a user who is no developer cannot set it", async () => {
  const ada = await actors.user();
  expect(await ada.patch("/me", { website })).toMatchObject({ status: 403, body: { code: "developer_required" } });
});
`;

test("a new field by the guide works, and each missing place is named", async () => {
  const [shown, edited, view, ...more] = await snippets("How to add a field");
  expect(more).toEqual([]);
  await apply(shown);
  expect((await run("types")).output).toMatch(/contract\/api\/accounts\.ts.*'website' is missing.*EditsOf/s);
  await apply(edited);
  expect((await run("types")).output).toMatch(/functions\/http\/views\.ts.*'website' is missing/s);
  await apply(view);
  expect(await run("types")).toMatchObject({ code: 0 });
  expect(await run("openapi")).toMatchObject({ code: 0 });
  await write("test/api/accounts/website.test.ts", rules);
  expect(failuresOf(await run("test", "--", "contract", "functions/new-route", "test/api/accounts/website"))).toBe("");
}, 600_000);
