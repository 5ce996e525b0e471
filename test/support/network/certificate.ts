import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A self-signed certificate and its key, both PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A new certificate for these names and 127.0.0.1, good from yesterday to tomorrow (RFC 5280, ECDSA on P-256). */
export function createCertificate(...names: string[]): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const subject = sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(names[0] ?? "localhost")))));
  const alternatives = sequence(
    ...names.map((name) => der(0x82, Buffer.from(name))),
    der(0x87, Buffer.from([127, 0, 0, 1])),
  );
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ecdsaWithSha256,
    subject,
    sequence(time(-86_400_000), time(86_400_000)),
    subject,
    publicKey,
    der(0xa3, sequence(sequence(oid("551d11"), der(0x04, alternatives)))),
  );
  const signature = sign("sha256", body, createPrivateKey(privateKey));
  const certificate = sequence(body, ecdsaWithSha256, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return { cert: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`, key: privateKey };
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const header =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(header), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function oid(hexadecimal: string): Buffer {
  return der(0x06, Buffer.from(hexadecimal, "hex"));
}

const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));

function time(offsetMilliseconds: number): Buffer {
  const digits = new Date(Date.now() + offsetMilliseconds).toISOString().replace(/[-:T]|\.\d+/g, "");
  return der(0x17, Buffer.from(digits.slice(2)));
}
