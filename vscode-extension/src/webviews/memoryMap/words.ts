/** Addresses, sizes and uses as people write them. */

import type { Use } from "../../memoryMap/messages";

const KIB = 1024;

/** An address with at least five digits: `0x00080`. */
export function addressText(address: number): string {
  const digits = Math.abs(address).toString(16).padStart(5, "0");
  return `${address < 0 ? "-" : ""}0x${digits}`;
}

/** A number of bytes, in whole KiB or MiB where it is one: `16 KiB`, `1,280 bytes`. */
export function bytesText(bytes: number): string {
  for (const [unit, name] of [
    [KIB * KIB, "MiB"],
    [KIB, "KiB"],
  ] as const) {
    if (bytes >= unit && bytes % unit === 0) {
      return `${(bytes / unit).toLocaleString("en")} ${name}`;
    }
  }
  return `${bytes.toLocaleString("en")} bytes`;
}

/** How bytes are used. */
export function useText(use: Use): string {
  return use === "both" ? "read and written" : use;
}
