import { generateKeyPairSync } from "node:crypto";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import { type Envelope, type Jwk, verified } from "../../support/attestations.ts";
import { useJobs } from "../../support/service/jobs.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { handOver, makeLive, openRelease, publish, sha256 } from "../../support/service/steps.ts";
import { removeItem, setAttribute, storedItem } from "../../support/table/stored.ts";

/*
 * The signed statement of which run a release comes from. Signatures are verified by Sigstore's verifier.
 */
const { service, issuers, actors, ada, repository, ...jobs } = useJobs();
const page = { "index.html": "<p>by CI" };

async function trust(): Promise<void> {
  await jobs.trustGitHub();
  await jobs.trustGitLab();
}

const jobOf = (provider: "github" | "gitlab", changes: Readonly<Record<string, unknown>> = {}) =>
  jobs.tokenOf(provider === "github" ? jobs.githubJob(changes) : jobs.gitlabJob(changes));

const attestationOf = (release: string) => ada.get(`/projects/${ada.slug}/releases/${release}/attestation`);

async function keySet(): Promise<Jwk[]> {
  return (await actors.anonymous.get("/.well-known/jwks.json")).body.keys;
}

async function verifiedStatementOf(release: string) {
  const { status, body } = await attestationOf(release);
  expect(status).toBe(200);
  return verified(body, await keySet());
}

const playUrl = async () => (await ada.get(`/projects/${ada.slug}`)).body.play_url;

async function expectNone(release: string): Promise<void> {
  expect(await attestationOf(release)).toMatchObject({ status: 404, body: { code: "attestation_not_found" } });
}

const commit = "4f2a9c01d7e85b36a0c4418f9d2b7e6350aa1c88";

describe("a release that a trusted publisher's job has uploaded and made live", () => {
  beforeEach(trust);

  test("has an attestation with the facts of GitHub's identity token, about its manifest and each file", async () => {
    const release = await publish(await jobOf("github"), ada.slug, { ...page, "a/game.js": "1" });
    const { manifest } = (await storedItem(service, keys.release(ada.slug, release))) ?? {};
    const { issuer } = issuers.github;
    const url = `${issuer}/ada/star-hopper`;
    expect(await verifiedStatementOf(release)).toEqual({
      _type: "https://in-toto.io/Statement/v1",
      subject: [
        { name: `${ada.slug}/${release}`, digest: { sha256: manifest } },
        { name: "a/game.js", digest: { sha256: sha256("1") } },
        { name: "index.html", digest: { sha256: sha256(page["index.html"]) } },
      ],
      predicateType: "urn:svc:attestation:publication:v1",
      predicate: {
        project: ada.slug,
        release,
        publishedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        playUrl: await playUrl(),
        publisher: {
          provider: "github",
          repository: url,
          repositoryId: repository().id,
          ownerId: repository().ownerId,
          ref: "refs/heads/main",
          commit,
          workflow: ".github/workflows/publish.yml",
          event: "push",
          runner: "github-hosted",
          run: `${url}/actions/runs/22259804324`,
          attempt: "1",
        },
      },
    });
  });

  test("has one with the facts of GitLab's; above 1,000 files it names the manifest alone", async () => {
    const release = await publish(await jobOf("gitlab"), ada.slug, page);
    const { issuer } = issuers.gitlab;
    const url = `${issuer}/ada/star-hopper`;
    expect((await verifiedStatementOf(release)).predicate.publisher).toEqual({
      provider: "gitlab",
      repository: url,
      repositoryId: repository().id,
      ownerId: repository().ownerId,
      ref: "refs/heads/main",
      commit: "8fe1b322a576d59fe6257052a4107df7dc1b8c78",
      workflow: ".gitlab-ci.yml",
      event: "push",
      runner: "12270835",
      run: `${url}/-/jobs/8222997048`,
    });
    // Each file is named up to a limit.
    await setAttribute(service, keys.release(ada.slug, release), "files", 1_001);
    expect((await verifiedStatementOf(release)).subject).toHaveLength(1);
  });

  test("keeps its signature, and a person who rolls back to it changes nothing of it", async () => {
    const release = await publish(await jobOf("github"), ada.slug, page);
    const first = await attestationOf(release);
    const [{ keyid: keyId, sig: signature }] = first.body.signatures;
    const stored = await storedItem(service, keys.release(ada.slug, release));
    expect(stored?.["attested"]).toEqual({ keyId, signature, digest: expect.any(String) });
    await publish(ada, ada.slug, { "index.html": "<p>by Ada" });
    await makeLive(ada, ada.slug, release);
    let again: unknown;
    const calls = await service.recorder.during(async () => {
      again = (await attestationOf(release)).body;
    });
    expect(again).toEqual(first.body);
    expect(calls.map(({ operation }) => operation)).toEqual(["BatchGetItem", "BatchGetItem"]);
  });

  test("is gone with the release that is removed while it is signed", async () => {
    const release = await publish(await jobOf("github"), ada.slug, page);
    const key = keys.release(ada.slug, release);
    const remove = () => removeItem(service, key);
    expect((await overtakenBy(service)(() => attestationOf(release), remove)).status).toBe(200);
    expect(await storedItem(service, key)).toBeUndefined();
  });

  test.each([
    ["key", { keyId: "earlier" }],
    ["statement", { digest: "another" }],
  ])("is signed again if another %s was signed", async (_, change) => {
    const release = await publish(await jobOf("github"), ada.slug, page);
    const { body } = await attestationOf(release);
    const key = keys.release(ada.slug, release);
    const stored = (await storedItem(service, key))?.["attested"] as object;
    await setAttribute(service, key, "attested", { ...stored, signature: btoa("of before"), ...change });
    expect(await verifiedStatementOf(release)).toEqual(verified(body, await keySet()));
  });

  test("has none once it is withdrawn", async () => {
    const release = await publish(await jobOf("github"), ada.slug, page);
    await publish(ada, ada.slug, { "index.html": "<p>by Ada" });
    await ada.post(`/projects/${ada.slug}/releases/${release}/withdraw`);
    await expectNone(release);
  });

  test.each([
    ["has no attempt", { run_attempt: undefined }],
    ["has no run", { run_id: "" }],
    ["has an actor who may be cut", { actor: "a".repeat(300) }],
    ["has a commit of another form", { sha: "main" }],
  ])("has none if the identity token %s", async (_, changes) => {
    await expectNone(await publish(await jobOf("github", changes), ada.slug, page));
  });
});

describe("no attestation has a release", () => {
  beforeEach(trust);

  test("that a person published", async () => {
    await expectNone(await publish(ada, ada.slug, page));
  });

  test("that a job uploaded and a person made live", async () => {
    const { body } = await openRelease(await jobOf("github"), ada.slug, page);
    await makeLive(ada, ada.slug, body.release.id);
    await expectNone(body.release.id);
  });

  test("that a person uploaded and a job made live", async () => {
    const { body } = await openRelease(ada, ada.slug, page);
    await makeLive(await jobOf("github"), ada.slug, body.release.id);
    await expectNone(body.release.id);
  });

  test("that one run uploaded and another one made live", async () => {
    const { body } = await openRelease(await jobOf("github"), ada.slug, page);
    await makeLive(await jobOf("github", { run_id: "22259804325" }), ada.slug, body.release.id);
    await expectNone(body.release.id);
  });

  test("that is open", async () => {
    await expectNone((await openRelease(await jobOf("github"), ada.slug, page)).body.release.id);
  });
});

describe("what everybody sees of the live release", () => {
  const show = (shown: boolean) => ada.patch(`/projects/${ada.slug}`, { show_provenance: shown });
  const publicProject = async () => (await actors.anonymous.get(`/projects/${ada.slug}`)).body;
  const publicAttestation = () => actors.anonymous.get(`/projects/${ada.slug}/attestation`);

  async function expectNothing(): Promise<void> {
    const project = await publicProject();
    expect(project.provenance).toBeNull();
    expect(JSON.stringify(project)).not.toContain("star-hopper");
    expect(await publicAttestation()).toMatchObject({ status: 404, body: { code: "attestation_not_found" } });
  }

  beforeEach(trust);

  test("is nothing, until the owner shows it, and from then on repository, commit, run and attestation", async () => {
    const release = await publish(await jobOf("github"), ada.slug, page);
    await expectNothing();
    await show(true);
    const url = `${issuers.github.issuer}/ada/star-hopper`;
    expect(await publicProject()).toMatchObject({
      show_provenance: true,
      provenance: {
        repository_url: url,
        commit,
        run_url: `${url}/actions/runs/22259804324`,
        attestation_path: `/projects/${ada.slug}/attestation`,
      },
    });
    const { body } = await publicAttestation();
    expect(verified(body, await keySet()).subject[0].name).toBe(`${ada.slug}/${release}`);
    await show(false);
    await expectNothing();
  });

  test("is nothing of a release that a person published, and that of a job's once it is live again", async () => {
    const release = await publish(await jobOf("github"), ada.slug, page);
    await show(true);
    await publish(ada, ada.slug, { "index.html": "<p>by Ada" });
    await expectNothing();
    await makeLive(ada, ada.slug, release);
    expect((await publicProject()).provenance).toMatchObject({ commit });
    expect((await publicAttestation()).status).toBe(200);
  });

  test("is nothing once the project has another owner, who shows the own releases alone", async () => {
    const first = await publish(await jobOf("github"), ada.slug, page);
    await show(true);
    const heir = await ada.otherDeveloper();
    await handOver(ada, ada.slug, heir);
    expect((await publicProject()).show_provenance).toBe(false);
    await expectNothing();
    await heir.patch(`/projects/${ada.slug}`, { show_provenance: true });
    await expectNothing();
    await publish(heir, ada.slug, { "index.html": "<p>by the heir" });
    await makeLive(heir, ada.slug, first);
    await expectNothing();
  });
});

describe("a verifier refuses", () => {
  let envelope: Envelope;
  let known: Jwk[];

  beforeEach(async () => {
    await trust();
    envelope = (await attestationOf(await publish(await jobOf("github"), ada.slug, page))).body;
    known = await keySet();
  });

  test("a changed statement", () => {
    const payload = Buffer.from(envelope.payload, "base64").toString().replace(commit, commit.replace("4", "5"));
    expect(() => verified({ ...envelope, payload: btoa(payload) }, known)).toThrow("signature verification failed");
  });

  test("the signature of another release", async () => {
    const other = (await attestationOf(await publish(await jobOf("github"), ada.slug, { "a.txt": "1" }))).body;
    expect(verified(other, known)).toBeDefined();
    expect(() => verified({ ...envelope, signatures: other.signatures }, known)).toThrow();
  });

  test("another key of the same name, and the lack of the key", () => {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const kid = envelope.signatures[0]?.keyid ?? "";
    const foreign = { ...publicKey.export({ format: "jwk" }), kid } as Jwk;
    expect(() => verified(envelope, [foreign])).toThrow("signature verification failed");
    expect(() => verified(envelope, [])).toThrow("key not found");
  });
});

test("the key set has public members alone, and a cache may keep it for minutes", async () => {
  const { body, headers } = await actors.anonymous.get("/.well-known/jwks.json");
  expect(body.keys).toEqual([
    {
      kty: "EC",
      crv: "P-256",
      x: expect.stringMatching(/^[\w-]{43}$/),
      y: expect.stringMatching(/^[\w-]{43}$/),
      kid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      use: "sig",
      alg: "ES256",
    },
  ]);
  expect(headers.get("cache-control")).toBe("public, max-age=300");
});
