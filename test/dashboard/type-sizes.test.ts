import { globSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";

const styles = globSync("{dashboard,options,programs}/**/*.css", { exclude: ["**/node_modules"] }).sort();

test("text has one of six sizes", () => {
  const sizes = styles.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/(?<![\w-])font(?:-size)?:\s*([^;]+);/g)].map(([, value]) => ({
      file,
      value,
    })),
  );
  const six = /var\(--(small|text|large|title|heading|display)\)/;
  const others = sizes.filter(({ value = "" }) => !six.test(value) && value !== "inherit");
  expect(new Set(sizes.flatMap(({ value = "" }) => six.exec(value)?.[1] ?? []))).toHaveProperty("size", 6);
  expect(others).toEqual([
    // The letters of a small picture, the navigation at 320 px in a wide font, code in its line.
    { file: "dashboard/src/parts/lists.css", value: "0.625rem" },
    { file: "dashboard/src/parts/page.css", value: "0.8125rem" },
    { file: "dashboard/src/tokens.css", value: "0.875em" },
  ]);
});
