import { expect, test } from "@jest/globals";
import { isPublicAddress } from "./public-address.ts";

test.each([
  ["8.8.8.8"],
  ["172.15.255.255"],
  ["172.32.0.0"],
  ["100.63.255.255"],
  ["100.128.0.0"],
  ["169.253.255.255"],
  ["223.255.255.255"],
  ["2606:4700:4700::1111"],
  ["2a00:1450:4001:80e::200e"],
])("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ["this host", "0.0.0.0"],
  ["private", "10.0.0.1"],
  ["private", "172.16.0.1"],
  ["private", "172.31.255.255"],
  ["private", "192.168.1.1"],
  ["of a provider's network", "100.64.0.1"],
  ["loopback", "127.0.0.1"],
  ["loopback", "127.255.255.254"],
  ["link-local", "169.254.0.1"],
  ["metadata of a cloud", "169.254.169.254"],
  ["credentials of a container", "169.254.170.2"],
  ["protocol assignment", "192.0.0.8"],
  ["documentation", "192.0.2.1"],
  ["documentation", "198.51.100.1"],
  ["documentation", "203.0.113.1"],
  ["benchmarks", "198.18.0.1"],
  ["relays of 6to4", "192.88.99.1"],
  ["multicast", "224.0.0.1"],
  ["multicast", "239.255.255.250"],
  ["reserved", "240.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["unspecified", "::"],
  ["loopback", "::1"],
  ["unique local", "fc00::1"],
  ["metadata of AWS", "fd00:ec2::254"],
  ["link-local", "fe80::1"],
  ["link-local with a zone", "fe80::1%lo"],
  ["site-local", "fec0::1"],
  ["multicast", "ff02::1"],
  ["IPv4-mapped", "::ffff:127.0.0.1"],
  ["IPv4-mapped, in hexadecimal", "::ffff:7f00:1"],
  ["IPv4-mapped, of a public one", "::ffff:8.8.8.8"],
  ["IPv4-compatible", "::127.0.0.1"],
  ["NAT64", "64:ff9b::7f00:1"],
  ["NAT64 of a network's own", "64:ff9b:1::a00:1"],
  ["Teredo", "2001:0:7f00:1::1"],
  ["6to4", "2002:7f00:1::1"],
  ["documentation", "2001:db8::1"],
  ["documentation", "3fff::1"],
  ["discard-only", "100::1"],
  ["no address", "localhost"],
  ["a number", "2130706433"],
  ["octal", "0177.0.0.1"],
])("an address is not public: %s, %s", (_, address) => {
  expect(isPublicAddress(address)).toBe(false);
});
