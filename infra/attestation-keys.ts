import { RemovalPolicy } from "aws-cdk-lib";
import { Key, KeySpec, KeyUsage } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { numberOf } from "./numbers.ts";
import type { Stage } from "./stage.ts";

/**
 * The keys of attestations, by their age: the last one signs, the public halves of all are listed. KMS rotates no asymmetric key, so
 * a stage counts them (`attestationKeys`). They are kept when the stack is deleted: nothing else can sign as the service.
 *
 * @returns their ARNs
 */
export function createAttestationKeys(scope: Construct, stage: Stage): string[] {
  return Array.from({ length: stage.attestationKeys ?? 1 }, (_, index) => {
    const { keyArn } = new Key(scope, `AttestationKey${numberOf(index)}`, {
      description: `svc-${stage.name}: signs attestations of releases`,
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy: stage.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    return keyArn;
  });
}
