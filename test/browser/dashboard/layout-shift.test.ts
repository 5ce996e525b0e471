import { beforeEach, expect, test } from "@jest/globals";
import { layoutShiftOf, shiftObserver } from "./layout-shift.ts";
import { visitor } from "./visitor.ts";

/* Whoever reaches for a button must not hit another one, because something above it came late. */

const v = visitor();
const nothing = { shift: 0, moved: [] };

beforeEach(() => v.page.addInitScript(shiftObserver));

test("nothing on the tokens page moves when its lists come: first many ended ones alone, then active ones too", async () => {
  for (let count = 0; count < 9; count += 1) await v.ada.delete(`/tokens/${(await v.ada.token()).id}`);
  await v.enter("tokens");
  await v.page.getByText("No active token").waitFor();
  await openTheFold();
  expect(await layoutShiftOf(v.page)).toEqual(nothing);

  await v.ada.token();
  await v.page.reload();
  await v.page.getByRole("list", { name: "Active tokens" }).waitFor();
  await openTheFold();
  expect(await layoutShiftOf(v.page)).toEqual(nothing);
});

async function openTheFold(): Promise<void> {
  await v.page.getByText("Revoked and expired", { exact: true }).click();
  await v.page.getByRole("list", { name: "Revoked and expired tokens" }).waitFor();
  await v.page
    .getByRole("textbox", { name: /^Find / })
    .last()
    .waitFor();
}
