import { BlockList, isIP } from "node:net";

/** Networks of IPv4 that are not of the public internet (IANA, "IPv4 Special-Purpose Address Registry"), and multicast. */
const specialNetworks = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Link-local, with the metadata of machines of clouds.
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const;

/**
 * Networks within the global unicast space of IPv6 that are not of the public internet, or lead to addresses of IPv4 (IANA, "IPv6
 * Special-Purpose Address Registry"): protocol assignments with Teredo, documentation, 6to4, documentation.
 */
const specialGlobalNetworks = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

const special = new BlockList();
for (const [network, prefix] of specialNetworks) special.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of specialGlobalNetworks) special.addSubnet(network, prefix, "ipv6");

/** All that is assigned to networks of the internet (RFC 4291). Loopback, unique local, link-local, IPv4-mapped, NAT64 and multicast are outside. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet("2000::", 3, "ipv6");

/** Whether an address is of the public internet. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !special.check(address, "ipv4");
  return version === 6 && globalUnicast.check(address, "ipv6") && !special.check(address, "ipv6");
}

/** Whether an address is of this machine alone. */
export function isLoopback(address: string): boolean {
  return address === "::1" || /^127\./.test(address);
}
