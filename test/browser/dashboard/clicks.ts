import { type EvaluatedPage, until } from "../until.ts";

/** Clicks the first button or link that is shown with this text, once there is one. */
export async function click(page: EvaluatedPage, text: string): Promise<void> {
  await until(
    page,
    `(() => {
    const all = [...document.querySelectorAll("button, a")];
    const found = all.find((one) => one.innerText.includes(${JSON.stringify(text)}) && one.getClientRects().length > 0);
    found?.click();
    return found !== undefined;
  })()`,
  );
}
