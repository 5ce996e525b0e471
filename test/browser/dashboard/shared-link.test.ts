import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { devices } from "playwright-core";
import { qrCodeIn } from "../qr-code.ts";
import { drop } from "./drop.ts";
import { visitor } from "./visitor.ts";

/* From the first page to a friend's phone: only the game's name is typed. In Firefox: other-browsers.test.ts. */

const v = visitor();
const bounce = fileURLToPath(new URL("../../../examples/bounce", import.meta.url));

test("a friend's phone reads the QR code off the screen and plays the game that was dropped", async () => {
  const { page } = v;
  await v.enter();
  await page.getByText("Publish your first game").waitFor();
  await drop(page, bounce);
  await page.getByRole("textbox", { name: "Name" }).fill("Phone Game");
  await v.button("Publish").click();
  await page.getByText("It is live.").waitFor();
  const qrCode = page.getByRole("img", { name: "QR code of the URL" });
  await qrCode.scrollIntoViewIfNeeded();
  const png = await page.screenshot();
  const blank = await v.context.newPage();
  const url = await qrCodeIn(png, (expression) => blank.evaluate(expression));
  expect(url).toBe(`http://phone-game.${v.service.gamesDomain}/`);

  const phone = await v.browser.newContext(devices["Pixel 7"]);
  const game = await phone.newPage();
  await game.goto(url);
  await game.locator("canvas").waitFor();
  await phone.close();
});
