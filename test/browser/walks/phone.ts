import { devices } from "../chromium.ts";

/** A phone with a touch screen, 390 px wide. */
export const phoneDevice = { ...devices["Pixel 7"], viewport: { width: 390, height: 844 } };
