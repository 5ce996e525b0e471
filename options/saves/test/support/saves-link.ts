import { expect } from "@jest/globals";
import type { RouteUse } from "../../../../test/support/service/route-use.ts";
import { upload } from "../../../../test/support/service/steps.ts";
import { savesOperations, sealedBytes } from "./operations.ts";

/** Saved games of a player: their bytes are sent, and fetched, by URLs that the routes sign. */
export const useSavesLink: RouteUse = async (owner, { as }) => {
  const { path, body } = await savesOperations.sendSaves(owner);
  const sent = await as("sendSaves", async () => {
    const response = await owner.post(path, body);
    expect(await upload(response.body.upload, sealedBytes)).toBe(200);
    return response.body;
  });
  await as("takeSaves", async () => {
    const response = await owner.post(`${path}/take`, { id: sent.id });
    await (await fetch(response.body.url)).bytes();
  });
};
