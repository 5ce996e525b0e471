import { stages } from "../../../infra/stages.ts";

/** An authority that has issued nothing, until 2126. */
const authority = `-----BEGIN CERTIFICATE-----
MIIBdjCCARugAwIBAgIUVf++HKAqe0QITaCiPva7svA3BqUwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjMwNzMzNTFaGA8yMTI2MTAzMDA3MzM1
MVowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABASF
Xr+oqGwJiwkXK4xI/l6ge4XcllHn+imLwRohk2fYtjCyZ0dAtWIuDJTLphr6+pnp
voVuh1/vxGNBWl2XHWyjUzBRMB0GA1UdDgQWBBSl7K/YELqla9qkt/994cgRA/vJ
NTAfBgNVHSMEGDAWgBSl7K/YELqla9qkt/994cgRA/vJNTAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0kAMEYCIQDtV1OHdismgpC64Yce1SYeaQAwBz8M9829
zb7/rngY9gIhAPnq79FI7OpMI7l59FYFnKbTHgAnji0huVH98P6FbH/Q
-----END CERTIFICATE-----`;

/** Changes that give a stage a distribution before its API. */
export function withApiEdge(stageName: string, region = "us-east-1") {
  const certificate = (where: string, id: number) =>
    `arn:aws:acm:${where}:${stages[stageName]?.account}:certificate/${id}`;
  return {
    region,
    domain: { name: "api.example.com", certificateArn: certificate(region, 1) },
    apiEdge: {
      certificateArn: certificate("us-east-1", 1),
      clientCertificateArn: certificate("us-east-1", 3),
      authority,
      isOnlyWay: true as const,
    },
  };
}

/** Changes that give a stage a games' edge. */
export function withGames(stageName: string) {
  const certificateArn = `arn:aws:acm:us-east-1:${stages[stageName]?.account}:certificate/2`;
  // In the Public Suffix List, as a games domain should be: without it synth warns.
  return { gamesDomain: { name: "github.io", certificateArn, isPublicSuffix: true as const } };
}

/** Changes that give a stage a copy in another account. */
export const withBackup = {
  backup: { vaultArn: "arn:aws:backup:eu-central-1:333333333333:backup-vault:svc-copies", bucket: "svc-files-copy" },
};

/** Changes that switch on whatever a stage can have and the examples do not all have. */
export function everyOption(stageName: string): object {
  return {
    ...withApiEdge(stageName),
    ...withGames(stageName),
    ...withBackup,
    healthChecks: true,
    mailFrom: "svc <no-reply@example.com>",
  };
}
