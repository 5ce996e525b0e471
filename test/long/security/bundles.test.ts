import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { shippedPackages } from "../../../infra/shipped/shipped.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

test("the functions' bundles contain no development dependency", () => {
  const shipped = shippedPackages("functions");
  expect(shipped.map(({ name }) => name)).toEqual(expect.arrayContaining(["zod", "aws-jwt-verify", "@middy/core"]));
  expect(shipped.filter(({ isForDevelopment }) => isForDevelopment)).toEqual([]);
});

test("the command line's bundle contains no package that only this repository needs", () => {
  const { devDependencies, dependencies } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
  // The command line shares them with the API or with the page: contract/ checks requests, folders, and responses that svc could not read. The
  // first one is in package.json too, because who installs without development dependencies builds svc.
  const shared = ["@oclif/core", "ignore", "smol-toml", "qr", "zod", "@zip.js/zip.js"];
  const ours = new Set(Object.keys({ ...devDependencies, ...dependencies }));
  const shipped = shippedPackages("cli").map(({ name }) => name);
  expect(shipped).toEqual(expect.arrayContaining(shared));
  expect(shipped.filter((name) => ours.has(name) && !shared.includes(name))).toEqual([]);
  expect(shipped.filter((name) => /^(@aws-sdk|@smithy|jest|@jest|typescript)/.test(name))).toEqual([]);
});

test("the bill of materials names each shipped package with version, license and hash", () => {
  const bill = JSON.parse(execFileSync(process.execPath, ["infra/shipped/sbom.ts"], { cwd: root, encoding: "utf8" }));
  const names = bill.components.map(({ name }: { name: string }) => name);
  const shipped = [...shippedPackages("functions"), ...shippedPackages("cli")].map(({ name }) => name);
  expect(new Set(names)).toEqual(new Set(shipped));
  for (const component of bill.components)
    expect(component).toMatchObject({
      version: expect.stringMatching(/^\d/),
      purl: expect.stringMatching(/^pkg:npm\//),
      licenses: [{ license: { id: expect.any(String) } }],
      hashes: [{ alg: "SHA-512" }],
    });
});
