import { hash } from "node:crypto";
import type { Actor } from "../../../../test/support/service/actors.ts";
import { publish } from "../../../../test/support/service/steps.ts";

/** A developer with a project. */
type Owner = Actor & { readonly slug: string };

export const sealedBytes = Buffer.from("sealed");

/** What a page says of the bytes that it is going to send. */
export function sealedBody(bytes: Buffer = sealedBytes) {
  return { size_bytes: bytes.length, sha256: hash("sha256", bytes) };
}

const pathOf = (slug: string) => `/.well-known/svc/saves/${slug}`;

export const savesOperations = {
  sendSaves: async (owner: Owner) => {
    await publish(owner, owner.slug, { "index.html": "1" });
    return { method: "POST", path: pathOf(owner.slug), body: sealedBody() };
  },
  takeSaves: async (owner: Owner) => {
    await publish(owner, owner.slug, { "index.html": "1" });
    const { body } = await owner.post(pathOf(owner.slug), sealedBody());
    return { method: "POST", path: `${pathOf(owner.slug)}/take`, body: { id: body.id } };
  },
};

export const savesRoutes = { ofAnybody: ["sendSaves", "takeSaves"], internal: ["sendSaves", "takeSaves"] } as const;
