/** The setting that lists the proxies in front of the API. */
import { canonicalAddressRange } from '../../../core/network-address.ts'
import type { Setting } from '../../../core/settings.ts'
import type { TrustedProxies } from './client-address.ts'

const hopsMax = 10

/** Names of common address ranges. They mean the same as in Express. */
const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** Returns the setting. Its value is a number such as `2`, or a list such as `loopback, 10.0.0.0/8`. */
export function trustedProxies(name: string, meaning: string): Setting<TrustedProxies | undefined> {
  const remedy = `${name} must be a number of proxies from 1 to ${hopsMax}, or addresses, CIDRs, loopback or uniquelocal, comma-separated`
  const read = (text: string | undefined) => {
    if (text === undefined) return { value: undefined }
    const hops = /^\d{1,3}$/.test(text) ? Number(text) : undefined
    if (hops !== undefined) return hops >= 1 && hops <= hopsMax ? { value: { hops } } : { problem: remedy }
    const ranges = text.split(',').map((entry) => rangesOf(entry.trim()))
    const wrong = ranges.indexOf(undefined)
    if (wrong >= 0) return { problem: `${remedy}; "${text.split(',')[wrong]?.trim()}" is not one of them` }
    return { value: { ranges: ranges.flatMap((some) => some ?? []) } }
  }
  return { name, meaning, read }
}

/**
 * Returns the address ranges of one entry of the setting; undefined if the entry is invalid. The range of all
 * addresses is invalid, because every caller could then forge any client address.
 */
function rangesOf(entry: string): readonly string[] | undefined {
  if (Object.hasOwn(named, entry)) return named[entry]
  const range = canonicalAddressRange(entry)
  return range === undefined || range.endsWith('/0') ? undefined : [range]
}
