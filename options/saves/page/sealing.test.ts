import { expect, test } from "@jest/globals";
import { fragmentOf, seal, secretOf, unseal } from "./sealing.ts";

const text = "saved games of Ada";
const file = new Blob([text]);

test("what is sealed is read with its key, and is 28 bytes longer", async () => {
  const { bytes, key } = await seal(file);
  expect(bytes).toHaveLength(text.length + 28);
  expect(new TextDecoder("latin1").decode(bytes)).not.toContain("Ada");
  expect(await (await unseal(bytes, key)).text()).toBe(text);
});

test("each time the key is another one of 256 bits, and so is what is sealed", async () => {
  const [one, other] = [await seal(file), await seal(file)];
  expect(atob(one.key.replaceAll("-", "+").replaceAll("_", "/"))).toHaveLength(32);
  expect(one.key).not.toBe(other.key);
  expect(one.bytes).not.toEqual(other.bytes);
});

test("with any byte changed, cut off or added nothing is read, nor with another key", async () => {
  const { bytes, key } = await seal(file);
  const changed = bytes.slice();
  changed[20] = (changed[20] ?? 0) ^ 1;
  const other = await seal(file);
  const attempts = [
    () => unseal(changed, key),
    () => unseal(bytes.slice(0, -1), key),
    () => unseal(new Uint8Array([...bytes, 0]), key),
    () => unseal(bytes, other.key),
    () => unseal(new Uint8Array(3), key),
    () => unseal(bytes, "A"),
  ];
  for (const attempt of attempts) await expect(attempt()).rejects.toThrow("What arrived is not what was sent.");
});

test("a link has id and key behind #, and another fragment is none", () => {
  const secret = { id: `${"a".repeat(21)}-`, key: `${"B".repeat(42)}_` };
  expect(secretOf(fragmentOf(secret))).toEqual(secret);
  for (const fragment of ["", "#", "#main", `#${secret.id}`, `${fragmentOf(secret)}x`, fragmentOf(secret).slice(1)])
    expect(secretOf(fragment)).toBeUndefined();
});
