import { newId } from "../../../functions/table/ids.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { setAttribute, storedItem, storeItems } from "../table/stored.ts";
import type { Actor, Person } from "./actors.ts";
import type { Owner } from "./operations.ts";
import type { TestService } from "./service.ts";

/** Helpers by which tests read and change a stored project, and read the accounts of its people. */
export function ownedProject(service: TestService, owner: Owner) {
  const keyOf = ({ uid }: Person) => accountKey(service.issuer, uid);
  return {
    keyOf,
    project: () => storedItem(service, keys.project(owner.slug)),
    account: (person: Person) => storedItem(service, keys.account(keyOf(person))),
    set: (attribute: string, value: unknown) => setAttribute(service, keys.project(owner.slug), attribute, value),
    /** Stores that somebody is a member, as the acceptance of an invitation does, without its events and notices. */
    join: async (person: Person, role: string) => {
      const key = keys.project(owner.slug);
      const now = new Date();
      const since = now.toISOString();
      const members = (await storedItem(service, key))?.["members"] as object | undefined;
      await setAttribute(service, key, "members", { ...members, [keyOf(person)]: { id: newId(now), role, since } });
      const ownership = { slug: owner.slug, createdAt: since, isMember: true };
      await storeItems(service, [{ ...keys.ownership(keyOf(person), owner.slug), ...ownership }]);
    },
    /** Stores copies of an open invitation until the project, or another one, has this many. */
    copyInvitation: async (count: number, slug = owner.slug) => {
      const key = keys.project(slug);
      const invitations = Object.entries((await storedItem(service, key))?.["invitations"] as object);
      const copies = Array.from({ length: count - invitations.length }, () => [newId(new Date()), invitations[0]?.[1]]);
      await setAttribute(service, key, "invitations", Object.fromEntries([...invitations, ...copies]));
    },
  };
}

/** The code of a refusal, else the status. */
export async function outcome(sent: ReturnType<Actor["get"]>): Promise<string | number> {
  const { status, body } = await sent;
  return body?.code ?? status;
}

/** Invitations to the owner's project: making and accepting one. */
export function invitationsOf(owner: Owner) {
  const path = () => `/projects/${owner.slug}/invitations`;
  return {
    invite: async (role: string, to?: Person, by: Actor = owner) =>
      (await by.post(path(), { role, ...(to && { to: to.uid }) })).body,
    accept: (person: Actor, { id, secret }: { id: string; secret: string | null }) =>
      person.post(`${path()}/${id}/acceptance`, secret === null ? undefined : { secret }),
  };
}
