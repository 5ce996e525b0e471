import type { Actor } from "../../../../test/support/service/actors.ts";

/** A developer with a project. */
type Owner = Actor & { readonly slug: string };

export const webhookOperations = {
  listWebhooks: async ({ slug }: Owner) => ({ method: "GET", path: `/projects/${slug}/webhooks` }),
  createWebhook: async (owner: Owner) => {
    for (const { id } of (await owner.get(`/projects/${owner.slug}/webhooks`)).body.webhooks)
      await owner.delete(`/projects/${owner.slug}/webhooks/${id}`);
    return { method: "POST", path: `/projects/${owner.slug}/webhooks`, body: { url } };
  },
  updateWebhook: async (owner: Owner) => ({
    method: "PATCH",
    path: await newWebhook(owner),
    body: { url: `${url}2`, enabled: true },
  }),
  deleteWebhook: async (owner: Owner) => ({ method: "DELETE", path: await newWebhook(owner) }),
  createDelivery: async (owner: Owner) => {
    const path = `${await newWebhook(owner)}/deliveries`;
    const { body: test } = await owner.post(path, {});
    return { method: "POST", path, body: { delivery: test.id } };
  },
  listDeliveries: async (owner: Owner) => ({ method: "GET", path: `${await newWebhook(owner)}/deliveries` }),
};

export const webhookLists = {
  ofAdmins: [
    ...["createDelivery", "createWebhook", "deleteWebhook", "listDeliveries", "listWebhooks", "updateWebhook"],
  ],
  ofRecentSignIns: ["createWebhook", "updateWebhook"],
  ofSuspended: ["deleteWebhook"],
} as const;

const url = "https://receiver.example.com/hooks/1";

/** The path of a webhook, which is the project's only one. */
async function newWebhook(owner: Owner, to = url): Promise<string> {
  const path = `/projects/${owner.slug}/webhooks`;
  for (const { id } of (await owner.get(path)).body.webhooks) await owner.delete(`${path}/${id}`);
  const { body } = await owner.post(path, { url: to });
  return `${path}/${body.webhook.id}`;
}
